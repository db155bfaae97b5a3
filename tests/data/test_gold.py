"""The reading of gold for each set's record shape, each kind of question, and what cannot be read."""

import re
from pathlib import Path

import pytest
from two_hops import MUSIQUE

from multihop.data import Question, open_questions
from multihop.data.formats import read_musique, read_two_wiki
from multihop.data.gold import GoldHop, Unread, read_gold
from multihop.data.names_in_text import as_written, countries
from multihop.data.question import SubQuestion
from multihop.data.record import Record
from multihop.retrieval import Passage

FILM = Passage("1", "Emma (1996 film)", "It won an Oscar. Emma was directed by Douglas McGrath.")
DIRECTOR = Passage("2", "Douglas McGrath", "Douglas McGrath was a writer. He was born on 2 February 1958 in Midland.")
ASKED = "When was the director of Emma born?"


def ask(asked=ASKED, answer="February 2, 1958", supporting=("2", "1"), **more):
    return Question(id="q", question=asked, answers=(answer,), supporting=supporting, **more)


def read_one(question, pages=(FILM, DIRECTOR)):
    reading = read_gold([question], pages)
    assert reading.unread == []
    return reading.paths[0]


def reason(question, pages=(FILM, DIRECTOR)):
    reading = read_gold([question], pages)
    assert reading.paths == []
    return reading.unread[0].reason


def test_supporting_paragraphs_alone_tell_no_order_and_no_sub_question():
    path = read_one(ask())
    assert path.hops == (GoldHop("", "", DIRECTOR, DIRECTOR.text), GoldHop("", "", FILM, FILM.text))
    assert path.passages == (DIRECTOR, FILM)
    assert not path.tells_hops
    assert not path.compares
    assert read_one(ask("Who is older?", "yes")).compares


def triples(*facts):
    """The hops of a question, each with the triple that it is about."""
    return {"decomposition": tuple(SubQuestion("", fact[2], triple=fact) for fact in facts)}


def test_triples_are_asked_by_one_template_in_their_order():
    told = ("Emma", "director", "Douglas McGrath"), ("Douglas McGrath", "date of birth", "February 2, 1958")
    path = read_one(ask(**triples(*told)))
    first, second = path.hops
    sentences = "Emma was directed by Douglas McGrath.", "He was born on 2 February 1958 in Midland."
    assert first == GoldHop("What is the director of Emma?", "Douglas McGrath", FILM, sentences[0])
    asked = "What is the date of birth of Douglas McGrath?"
    assert second == GoldHop(asked, "2 February 1958", DIRECTOR, sentences[1], (0,))
    assert path.tells_hops


def test_supporting_sentences_are_told_where_the_set_splits_its_paragraphs():
    sentences = (("It won an Oscar.", " Emma was directed by Douglas McGrath."), (DIRECTOR.text,))
    told = ask(passages=(FILM, DIRECTOR), sentences=sentences, supporting_sents=(("1", 1), ("2", 0)))
    assert [hop.sentence for hop in read_one(told, ()).hops] == [DIRECTOR.text, "Emma was directed by Douglas McGrath."]


TWO_WIKI = {
    "_id": "w1", "question": "Do the directors of Solaris and Rio share a nationality?", "answer": "no",
    "type": "bridge_comparison",
    "supporting_facts": [["Solaris (film)", 0], ["Rio (film)", 0], ["Andrei Tarkovsky", 0], ["Carlos Saldanha", 0]],
    "evidences": [
        ["Solaris", "director", "Andrei Tarkovsky"],
        ["Rio", "director", "Carlos Saldanha"],
        ["Andrei Tarkovsky", "country of citizenship", "Russia"],
        ["Carlos Saldanha", "country of citizenship", "Brazil"],
    ],
    "context": [
        ["Solaris (film)", ["Solaris is a film by Andrei Tarkovsky."]],
        ["Rio (film)", ["Rio was directed by Carlos Saldanha."]],
        ["Andrei Tarkovsky", ["Andrei Tarkovsky was a Russian director."]],
        ["Carlos Saldanha", ["Carlos Saldanha is a Brazilian director."]],
    ],
}  # fmt: skip


def test_2wiki_bridges_before_it_compares_and_finds_nations_by_their_people():
    path = read_one(read_two_wiki(Record(TWO_WIKI, "example")), ())
    assert path.compares
    assert [(hop.sub_question, hop.answer, hop.needs) for hop in path.hops] == [
        ("What is the director of Solaris?", "Andrei Tarkovsky", ()),
        ("What is the director of Rio?", "Carlos Saldanha", ()),
        ("What is the country of citizenship of Andrei Tarkovsky?", "Russian", (0,)),
        ("What is the country of citizenship of Carlos Saldanha?", "Brazilian", (1,)),
    ]


def test_2wiki_inference_follows_kin_under_another_name():
    pages = [
        Passage("1", "Diana Robertson", "Her mother was Lady Gertrude Robertson."),
        Passage("2", "Gertrude Elliott", "She was the sister of Maxine Elliott."),
    ]
    kin = triples(
        ("Diana Robertson", "mother", "Gertrude Robertson"), ("Gertrude Elliott", "sibling", "Maxine Elliott")
    )
    path = read_one(ask("Who is the aunt of Diana Robertson?", "Maxine Elliott", ("1", "2"), **kin), pages)
    assert [hop.needs for hop in path.hops] == [(), (0,)]
    assert not path.compares


def test_musique_fills_earlier_answers_in_and_turns_relations_into_questions():
    path = read_one(read_musique(Record(MUSIQUE, "example")), ())
    assert [(hop.sub_question, hop.answer, hop.sentence, hop.needs) for hop in path.hops] == [
        ("What is the author of Emma?", "Jane Austen", "By Jane Austen.", ()),
        ("Where was Jane Austen born?", "Steventon", "Born in Steventon.", (0,)),
    ]


def hop(question, answer, passage):
    """A sub-question alone, as a question's decomposition."""
    return {"decomposition": (SubQuestion(question, answer, passage),)}


def test_an_answer_is_read_as_the_passage_writes_it_in_the_sentence_that_is_about_the_question():
    river = Passage("1", "Tekezé River", "The Tekezé flows into the Atbarah.")
    flows = hop("Into what does the Tekeze flow?", "atbarah", "1")
    assert read_one(ask("?", "Atbarah", ("1",), **flows), [river]).hops[0].answer == "Atbarah"
    page = Passage("1", "Rome", "Italy is in Europe. The capital of Italy is Rome. Rome grew.")
    read = read_one(ask("?", "Rome", ("1",), **hop("What is the capital of Italy?", "Rome", "1")), [page])
    assert read.hops[0].sentence == "The capital of Italy is Rome."


def test_paragraphs_may_be_named_by_their_titles_and_must_hold_the_answer():
    other = Passage("9", "Emma (1996 film)", "A film.")
    asked = ask("?", "Douglas McGrath", (), **hop("Who directed Emma?", "Douglas McGrath", "Emma (1996 film)"))
    assert read_one(asked, [other, FILM]).hops[0].passage == FILM
    assert reason(asked, [other]) == "the answer of its hop 1, 'Douglas McGrath', is nowhere in 'Emma (1996 film)'"


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (Question(id="q", question="?", answers=(), supporting=("1",)), "it has no accepted answer"),
        (Question(id="q", question="?", answers=("x",)), "it names no supporting paragraph"),
        (ask(supporting=("1", "77")), "its supporting paragraph '77' is not in the corpus"),
        (ask(answer="Paris"), "its answer, 'Paris', is nowhere in its paragraphs"),
        (ask(**hop("Where was #2 born?", "Midland", "2")), "its hop 1 needs the answer of hop 2, which comes later"),
        (ask(**hop("Who?", "Douglas McGrath", "8")), "the paragraph of its hop 1, '8', is not in the corpus"),
        (ask(**hop("Who?", "Douglas McGrath", "1")), "its supporting paragraph '2' belongs to none of its hops"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_reason(question, why):
    assert reason(question) == why


def test_the_first_three_that_cannot_be_read_are_told_in_a_line():
    bad = [Question(id=f"q{n}", question="?", answers=()) for n in range(4)]
    reading = read_gold([ask(), *bad], [FILM, DIRECTOR])
    why = "it has no accepted answer"
    assert reading.unread == [Unread(f"q{n}", why) for n in range(4)]
    assert str(reading) == (f"the gold of 4 of 5 questions cannot be read (q0: {why}; q1: {why}; q2: {why}; ...)")


@pytest.mark.parametrize(("name", "read"), [("hotpotqa", 1.0), ("2wikimultihopqa", 0.97), ("musique", 1.0)])
def test_nearly_all_real_training_questions_are_read_and_every_hop_holds_what_it_says(name, read):
    file = Path(__file__).parents[3] / "shared" / "data" / f"{name}.train.jsonl.gz"
    if not file.exists():
        pytest.skip("the real questions are not here: no ../shared/data beside the repository")
    reading = read_gold(open_questions(file, limit=300), ())
    assert len(reading.paths) >= read * (len(reading.paths) + len(reading.unread)) > 90
    for path in reading.paths:
        assert {page.id for page in path.passages} == set(path.question.supporting)
        assert path.compares == ("comparison" in path.question.type)
        for place, hop in enumerate(path.hops):
            assert hop.answer in hop.sentence != ""
            assert all(0 <= needed < place for needed in hop.needs)
            assert hop.sub_question.endswith("?") == path.tells_hops == (name != "hotpotqa")
            assert not re.search(r"#\d|>>", hop.sub_question)
        last = path.hops[-1].answer
        assert not (path.tells_hops and not path.compares) or any(
            as_written(last, each) or as_written(each, last) or countries(last) & countries(each)
            for each in path.question.answers
        )
