"""The one rule for answers, in every layout."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.data.files.record import Record
from multihop.data.formats import (
    compact,
    flashrag,
    frames,
    hotpotqa,
    ircot,
    multihop_rag,
    musique,
    strategyqa,
    two_wiki,
)
from multihop.data.formats.answers import ANSWER_FIELDS, tells_answer

FACTS = [["Emma", 0], ["Jane Austen", 0]]
ROWS = {
    "hotpotqa": (hotpotqa.read, "answer", {"context": [], "supporting_facts": FACTS}),
    "2wikimultihopqa": (two_wiki.read, "answer", {"context": [], "supporting_facts": FACTS, "evidences": []}),
    "musique": (musique.read, "answer", {"paragraphs": []}),
    "ircot": (ircot.read, "answers_objects", {"contexts": []}),
    "flashrag": (flashrag.read, "golden_answers", {}),
    "frames": (frames.read, "Answer", {"wiki_links": "['https://en.wikipedia.org/wiki/Emma']"}),
    "multihop-rag": (multihop_rag.read, "answer", {"evidence_list": []}),
    "strategyqa": (strategyqa.read, "answer", {"term": "Emma", "facts": []}),
    "ours": (compact.read, "answers", {"supporting": ["p1"]}),
}
ASKED = {
    "id": "q1", "question": "Who?", "query": "Who?", "Prompt": "Who?", "question_text": "Who?",
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", ROWS)


def read(name, **fields):
    reader, own, rest = ROWS[name]
    record = Record(
        {**ASKED, **rest, **{own if field == "own" else field: each for field, each in fields.items()}}, "x"
    )
    question = reader(record)
    return question.answers, question.answerable, tells_answer(record)


@EVERY
def test_an_answer(name):
    spans = [{"number": "", "date": {}, "spans": ["Ada"]}]
    assert read(name, own=spans if name == "ircot" else "Ada" if name != "ours" else ["Ada"]) == (("Ada",), True, True)


@EVERY
@pytest.mark.parametrize("empty", [None, "", []])
def test_an_empty_answer_is_none(name, empty):
    if empty in ("", []) and name in ("ircot", "hotpotqa", "2wikimultihopqa", "musique"):
        empty = [] if name == "ircot" else ""  # these take a list, and text, alone
    assert read(name, own=empty) == ((), False, True)


@EVERY
def test_no_field_for_the_answer_says_nothing(name):
    assert read(name) == ((), True, False)


@EVERY
@given(other=st.sampled_from(ANSWER_FIELDS))
def test_no_layout_drops_an_answer_under_another_usual_name(name, other):
    assert read(name, **{other: "Ada"}) == (("Ada",), True, True)


@EVERY
def test_what_is_marked_as_not_answerable(name):
    assert read(name, answerable=False)[1:] == (False, True)
    assert read(name, own=None, answerable=True) == ((), True, True)


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
def test_a_test_file_that_keeps_its_gold_back_says_nothing(name):
    assert read(name, own="", supporting_facts=[]) == ((), True, True)


def test_the_gold_of_our_own_rows_is_no_answer():
    assert read("ours", gold="given") == ((), True, False)
