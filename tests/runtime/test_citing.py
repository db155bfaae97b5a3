import math
from types import SimpleNamespace

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import Encoder, Passage, cite
from multihop.runtime.citing import AnswerReading, is_borne, sentences_of

EMMA = Passage("p1", "Emma (novel)", "Emma is a novel written by Jane Austen. It was published in London in 1815.")
AUSTEN = Passage("p2", "Jane Austen", "Jane Austen was an English novelist. She was born in Steventon in 1775.")
DANUBE = Passage("p3", "Danube", "The Danube is a river. It flows through Vienna.")
QUESTION = "Where was the author of Emma born?"
TEXTS = st.text(alphabet=st.sampled_from("aB1. !?\n\t「。！न।؟é"), max_size=60)


def cited(question, answer, passages):
    return cite(question, dspy.Prediction(answer=answer, passages=passages))


def brief(citations):
    return [(each.passage, each.sentence) for each in citations]


def test_an_answer_takes_a_sentence_of_each_page_on_the_way():
    citations = cited(QUESTION, "Steventon", [DANUBE, EMMA, AUSTEN])
    assert sorted(brief(citations)) == [
        ("p1", "Emma is a novel written by Jane Austen."),
        ("p2", "She was born in Steventon in 1775."),
    ]
    assert [each.score for each in citations] == sorted((each.score for each in citations), reverse=True)
    assert {each.title for each in citations} == {"Emma (novel)", "Jane Austen"}


def test_an_answer_that_stands_nowhere_has_no_citation_and_without_an_answer_nothing_is_read(monkeypatch):
    assert cited(QUESTION, "Steventon", [DANUBE]) == []
    monkeypatch.setattr(Encoder, "load", lambda: pytest.fail("the encoder is opened"))
    for answer, passages in (("I do not know", [EMMA]), ("Steventon", ["a plain text"]), ("Steventon", [])):
        assert cited(QUESTION, answer, passages) == []
    assert cite(QUESTION, dspy.Prediction(passages=[EMMA])) == cite(QUESTION, dspy.Prediction(answer="Steventon")) == []


def test_an_answer_may_be_a_sentence():
    for answer, borne in [
        ("She was born in Steventon, in 1775.", True),
        ("Jane Austen was born in Steventon.", True),
        ("The author, who was called Jane Austen, was born in Steventon.", True),
        ("Jane Austen was born in Chawton.", False),
        ("Jane Austen was born in Steventon in 1820.", False),
    ]:
        assert bool(cited(QUESTION, answer, [EMMA, AUSTEN])) == borne


def test_of_two_things_that_are_compared_neither_speaks_against_the_other():
    films = [
        Passage("f1", "Bloody Moon", "Bloody Moon is a 1981 film by Jesús Franco."),
        Passage("f2", "Pretty Persuasion", "Pretty Persuasion is a 2005 film by Marcos Siega."),
    ]
    for answer in ("Bloody Moon", "Pretty Persuasion"):
        citations = cited("Which film was released earlier, Bloody Moon or Pretty Persuasion?", answer, films)
        assert {each.passage for each in citations} == {"f1", "f2"}


def test_yes_and_no_are_told_apart():
    question = "Are Jane Austen and Emma Thompson both English?"
    pages = [AUSTEN, Passage("p4", "Emma Thompson", "Emma Thompson is an English actress.")]
    yes, no = cited(question, "yes", pages), cited(question, "no", pages)
    assert {each.passage for each in yes} == {"p2", "p4"}
    assert [each.sentence for each in no] == [each.sentence for each in yes]
    assert cited("Is Danube a river?", "yes", []) == []


@pytest.mark.parametrize(
    ("answer", "read", "borne"),
    [
        ("Steventon", {}, True),
        ("Steventon", {"Steventon": 0.2, "Jane Austen": 0.5}, True),
        ("Steventon", {"Jane Austen": 0.5}, False),
        ("yes", {"yes": 0.2, "no": 0.5}, True),
        ("yes", {"yes": 0.1, "no": 0.5}, False),
        ("no", {"no": 0.09}, False),
    ],
)
def test_an_answer_is_borne_unless_another_is_read(answer, read, borne):
    text = str(AUSTEN)
    spans = {words: (text.index(words), text.index(words) + len(words)) for words in read if words in text}
    answers = [SimpleNamespace(page=0, start=a, end=b, score=math.log(read[words])) for words, (a, b) in spans.items()]
    pages = SimpleNamespace(answers=answers, holds=1.0, yes=read.get("yes", 0.0), no=read.get("no", 0.0))
    assert is_borne(QUESTION, answer, AnswerReading([AUSTEN], [], [(text,)], [pages])) is borne


def test_where_no_sentence_is_likely_the_likeliest_is_cited(monkeypatch):
    monkeypatch.setattr("multihop.runtime.citing.LIKELY", 2.0)
    assert len(cited("Is the Danube a river?", "yes", [DANUBE])) == 1


def test_an_answer_may_stand_behind_the_first_passages_and_far_behind_in_a_long_one():
    rivers = [Passage(f"r{number}", f"River {number}", f"River {number} is long.") for number in range(7)]
    found = cited("Which city does the Danube flow through?", "Vienna", [*rivers, DANUBE])
    assert ("p3", "It flows through Vienna.") in brief(found)
    long = f"{'It rained all day. ' * 400}Jane Austen was born in Steventon. {'It rained. ' * 50}"
    citations = cited("Where was Jane Austen born?", "Steventon", [Passage("p", "Jane Austen", long)])
    assert brief(citations)[0] == ("p", "Jane Austen was born in Steventon.")
    assert len(citations) <= 6


@pytest.fixture(scope="module")
def tiny(tiny_encoder_folder):
    patch = pytest.MonkeyPatch()
    patch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
    yield
    patch.undo()


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=7), TEXTS)
def test_a_cited_sentence_is_what_stands_at_its_place(tiny, pages, answer):
    passages = [Passage(str(number), title, text) for number, (title, text) in enumerate(pages)]
    by_id = {passage.id: passage for passage in passages}
    for each in cited("What is aB?", answer, passages):
        passage = by_id[each.passage]
        assert passage.text[each.start : each.end] == each.sentence != ""
        assert passage.title == each.title
        assert 0.0 <= each.score <= 1.0


def test_empty_passages_and_the_same_text_twice_are_cited_once():
    empty, again = Passage("p0", "", " \n"), AUSTEN._replace(id="p9")
    citations = cited("Where was Jane Austen born?", "Steventon", [empty, AUSTEN, again])
    assert {each.passage for each in citations} == {"p2"}
    assert len({each.sentence for each in citations}) == len(citations)


def test_the_encoder_is_asked_once_for_judgements_and_once_for_readings(tiny_encoder, monkeypatch):
    asked = []
    for name in ("judge", "read"):
        work = getattr(Encoder, name)
        monkeypatch.setattr(
            Encoder, name, lambda self, items, name=name, work=work: asked.append(name) or work(self, items)
        )
    cited(QUESTION, "Steventon", [EMMA, AUSTEN, DANUBE])
    assert asked == ["judge", "read"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("  It rains. It pours.\n", ["It rains.", "It pours."]),
        ("It rains\n\nit pours", ["It rains", "it pours"]),
        ("富士山は山だ。高い！", ["富士山は山だ。", "高い！"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("هل جاء؟ نعم", ["هل جاء؟", "نعم"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences_end_where_each_script_ends_them(text, sentences):
    assert [text[start:end] for start, end in sentences_of(text)] == sentences
