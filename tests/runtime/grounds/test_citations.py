import asyncio

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import BM25, Encoder, Passage, create, local, scripted
from multihop.runtime.grounds.citations import cite, of_answer

EMMA = Passage("p1", "Emma (novel)", "Emma is a novel written by Jane Austen. It was published in London in 1815.")
AUSTEN = Passage("p2", "Jane Austen", "Jane Austen was an English novelist. She was born in Steventon in 1775.")
DANUBE = Passage("p3", "Danube", "The Danube is a river. It flows through Vienna.")
QUESTION = "Where was the author of Emma born?"
TEXTS = st.text(alphabet=st.sampled_from("aB1. !?\n\t「。！न।؟é"), max_size=60)


def cited(question, answer, passages, conclusions=()):
    return asyncio.run(cite(question, answer, conclusions, passages))


def brief(citations):
    return [(each["verdict"], each["passage"], each["sentence"]) for each in citations]


NOTHING = {"passage": "", "title": "", "sentence": "", "start": 0, "end": 0, "score": 0.0}


def test_an_answer_takes_a_sentence_of_each_page_on_the_way():
    citations = cited(QUESTION, "Steventon", [DANUBE, EMMA, AUSTEN])
    assert sorted(brief(citations)) == [
        ("supported", "p1", "Emma is a novel written by Jane Austen."),
        ("supported", "p2", "She was born in Steventon in 1775."),
    ]
    assert [each["score"] for each in citations] == sorted((each["score"] for each in citations), reverse=True)
    assert {(each["claim"], each["title"]) for each in citations} == {
        ("Steventon", "Emma (novel)"),
        ("Steventon", "Jane Austen"),
    }


def test_an_answer_that_stands_nowhere_is_not_found_or_contradicted():
    assert cited(QUESTION, "Steventon", [DANUBE]) == [{"claim": "Steventon", "verdict": "not found", **NOTHING}]
    wrong = cited("Who wrote Emma?", "Leo Tolstoy", [EMMA])
    assert brief(wrong) == [("contradicted", "p1", "Emma is a novel written by Jane Austen.")]


def test_an_answer_may_be_a_sentence():
    for answer, verdict in [
        ("She was born in Steventon, in 1775.", "supported"),
        ("Jane Austen was born in Steventon.", "supported"),
        ("Jane Austen was born in Chawton.", "contradicted"),
    ]:
        assert {each["verdict"] for each in cited(QUESTION, answer, [EMMA, AUSTEN])} == {verdict}


def test_of_two_things_that_are_compared_neither_contradicts_the_other():
    films = [
        Passage("f1", "Bloody Moon", "Bloody Moon is a 1981 film by Jesús Franco."),
        Passage("f2", "Pretty Persuasion", "Pretty Persuasion is a 2005 film by Marcos Siega."),
    ]
    question = "Which film was released earlier, Bloody Moon or Pretty Persuasion?"
    for answer in ("Bloody Moon", "Pretty Persuasion"):
        citations = cited(question, answer, films)
        assert {(each["verdict"], each["passage"]) for each in citations} == {("supported", "f1"), ("supported", "f2")}


def test_yes_and_no_are_told_apart():
    question = "Are Jane Austen and Emma Thompson both English?"
    pages = [AUSTEN, Passage("p4", "Emma Thompson", "Emma Thompson is an English actress.")]
    yes, no = cited(question, "yes", pages), cited(question, "no", pages)
    assert {each["verdict"] for each in yes} == {"supported"}
    assert {each["passage"] for each in yes} == {"p2", "p4"}
    assert [each["sentence"] for each in no] == [each["sentence"] for each in yes]
    assert brief(cited("Is Danube a river?", "yes", [])) == [("not found", "", "")]


@pytest.mark.parametrize("answer", ["", "I do not know", "Unanswerable."])
def test_a_refusal_has_no_citation(answer):
    assert cited(QUESTION, answer, [EMMA, AUSTEN]) == []


def test_conclusions_are_cited_sentence_by_sentence_and_each_once():
    said = "Assertion: Emma was written by Jane Austen. Emma was published in 1820."
    citations = cited(QUESTION, "Steventon", [EMMA, AUSTEN], [said, "Emma was published in 1820. I do not know."])
    conclusions = [each for each in citations if each["claim"] != "Steventon"]
    assert [(each["claim"], each["verdict"], each["sentence"]) for each in conclusions] == [
        ("Emma was written by Jane Austen.", "supported", "Emma is a novel written by Jane Austen."),
        ("Emma was published in 1820.", "contradicted", "It was published in London in 1815."),
    ]
    assert of_answer(citations, "Steventon") == citations[: len(citations) - 2]


def test_an_answer_may_stand_in_a_passage_behind_the_first_ones():
    rivers = [Passage(f"r{number}", f"River {number}", f"River {number} is long.") for number in range(7)]
    found = cited("Which city does the Danube flow through?", "Vienna", [*rivers, DANUBE])
    assert ("supported", "p3", "It flows through Vienna.") in brief(found)


def test_a_conclusion_that_says_nothing_is_not_cited():
    said = ["Who wrote Emma? -> not found", "Not found.", "I do not know.", "Who wrote Emma? -> Jane Austen"]
    found = cited(QUESTION, "unknown", [EMMA, AUSTEN], said)
    assert [(each["claim"], each["passage"]) for each in found] == [("Who wrote Emma? -> Jane Austen", "p1")]


def test_a_conclusion_may_rest_on_a_passage_behind_the_first_ones():
    rivers = [Passage(f"r{number}", f"River {number}", f"River {number} is long.") for number in range(7)]
    conclusion = "The Danube flows through Vienna."
    found = cited(QUESTION, "unknown", [*rivers, DANUBE], [conclusion])
    assert brief(found) == [("supported", "p3", "It flows through Vienna.")]


@pytest.fixture(scope="module")
def tiny(tiny_encoder_folder):
    patch = pytest.MonkeyPatch()
    patch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
    yield
    patch.undo()


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=7), TEXTS, st.lists(TEXTS, max_size=2))
def test_a_cited_sentence_is_what_stands_at_its_place(tiny, pages, answer, conclusions):
    passages = [Passage(str(number), title, text) for number, (title, text) in enumerate(pages)]
    by_id = {passage.id: passage for passage in passages}
    for each in cited("What is aB?", answer, passages, conclusions):
        if each["verdict"] == "not found":
            assert {name: each[name] for name in NOTHING} == NOTHING
        else:
            passage = by_id[each["passage"]]
            assert passage.text[each["start"] : each["end"]] == each["sentence"] != ""
            assert passage.title == each["title"]
            assert 0.0 <= each["score"] <= 1.0


def test_empty_passages_and_the_same_text_twice_are_cited_once():
    empty, again = Passage("p0", "Nothing", " \n"), AUSTEN._replace(id="p9")
    citations = cited("Where was Jane Austen born?", "Steventon", [empty, AUSTEN, again])
    assert {each["passage"] for each in citations} == {"p2"}
    assert len({each["sentence"] for each in citations}) == len(citations)


def test_passages_without_a_title():
    citations = cited("Where was Jane Austen born?", "Steventon", [AUSTEN._replace(title="", text=AUSTEN.text)])
    assert ("supported", "p2", "She was born in Steventon in 1775.") in brief(citations)


def test_a_sentence_far_behind_in_a_long_passage():
    before, after = "It rained all day. " * 400, "It rained. " * 50
    long = Passage("p", "Jane Austen", f"{before}Jane Austen was born in Steventon. {after}")
    citations = cited("Where was Jane Austen born?", "Steventon", [long])
    assert brief(citations)[0] == ("supported", "p", "Jane Austen was born in Steventon.")
    assert len(citations) <= 6


def test_texts_in_other_scripts():
    fuji = Passage("f", "富士山", "富士山は日本の山だ。標高は3776メートルである。")
    (citation,) = cited("What is the height of 富士山?", "3776メートル", [fuji], ["富士山は日本の山だ。"])[-1:]
    assert fuji.text[citation["start"] : citation["end"]] == citation["sentence"]


def test_the_encoder_is_asked_once_for_judgements_and_once_for_readings(tiny_encoder, monkeypatch):
    asked = []
    for name in ("judge", "read"):
        work = getattr(Encoder, name)
        monkeypatch.setattr(
            Encoder, name, lambda self, items, name=name, work=work: asked.append(name) or work(self, items)
        )
    program = create("one-step", BM25.build([EMMA, AUSTEN, DANUBE]), grounds=True)
    with dspy.context(lm=scripted([{"answer": "Steventon"}])):
        prediction = program(question=QUESTION)
    assert sorted(asked) == ["judge", "read"]
    assert prediction.citations


def test_a_program_cites_where_it_is_asked_to():
    retriever = BM25.build([EMMA, AUSTEN, DANUBE])
    with dspy.context(lm=local()):
        assert "citations" not in create("one-step", retriever)(question=QUESTION)
        prediction = create("one-step", retriever, grounds=True)(question=QUESTION)
    first = prediction.citations[0]
    assert (first["claim"], first["verdict"]) == (prediction.answer, "supported")
