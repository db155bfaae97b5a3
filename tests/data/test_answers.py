"""The one rule for answers in every layout, and every shape that answers come in."""

import numpy as np
import pytest

from multihop.base import InputError
from multihop.data.answers import ANSWER_FIELDS, read_answers, tells_answer
from multihop.data.formats import read_flashrag, read_hotpotqa, read_ircot, read_musique, read_two_wiki
from multihop.data.own_rows import read_row
from multihop.data.record import Record

FACTS = [["Emma", 0], ["Jane Austen", 0]]
ROWS = {
    "hotpotqa": (read_hotpotqa, "answer", {"context": [], "supporting_facts": FACTS}),
    "2wikimultihopqa": (read_two_wiki, "answer", {"context": [], "supporting_facts": FACTS, "evidences": []}),
    "musique": (read_musique, "answer", {"paragraphs": []}),
    "ircot": (read_ircot, "answers_objects", {"contexts": []}),
    "flashrag": (read_flashrag, "golden_answers", {}),
    "ours": (read_row, "answers", {"supporting": ["p1"]}),
}
ASKED = {"id": "q1", "question": "Who?", "query": "Who?", "Prompt": "Who?", "question_text": "Who?"}


def read_as(name, **fields):
    reader, own, rest = ROWS[name]
    if "own" in fields:
        fields[own] = fields.pop("own")
    record = Record({**ASKED, **rest, **fields}, "x")
    question = reader(record)
    return question.answers, question.answerable, tells_answer(record)


@pytest.mark.parametrize("name", ROWS)
def test_one_rule_goes_for_the_answers_of_every_layout(name):
    shapes = {"ircot": [{"number": "", "date": {}, "spans": ["Ada"]}], "ours": ["Ada"]}
    assert read_as(name, own=shapes.get(name, "Ada")) == (("Ada",), True, True)
    for empty in (None, [] if name == "ircot" else ""):
        assert read_as(name, own=empty) == ((), False, True)
    assert read_as(name) == ((), True, False)
    for other in ANSWER_FIELDS:
        assert read_as(name, **{other: "Ada"}) == (("Ada",), True, True)
    assert read_as(name, answerable=False)[1:] == (False, True)
    assert read_as(name, own=None, answerable=True) == ((), True, True)
    if name in ("hotpotqa", "2wikimultihopqa"):  # a test file keeps its gold back
        assert read_as(name, own="", supporting_facts=[]) == ((), True, True)
    if name == "ours":  # where its gold comes from says nothing of the answer
        assert read_as(name, gold="given") == ((), True, False)


def read(value):
    return read_answers(Record({"answer": value}, "mine.csv, line 2"), "answer")


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("Ada", ("Ada",)),
        (["Ada", "Ada Lovelace", "Ada"], ("Ada", "Ada Lovelace")),
        (("Ada",), ("Ada",)),
        ('["Ada", "O\'Hara"]', ("Ada", "O'Hara")),
        ("['Ada', \"O'Hara\"]", ("Ada", "O'Hara")),
        ("[Ada]", ("[Ada]",)),
        (['["Ada"]'], ('["Ada"]',)),
        ("[1, 2]", ("[1, 2]",)),
        (1843, ("1843",)),
        (1843.0, ("1843",)),
        (0.5, ("0.5",)),
        (True, ("yes",)),
        (False, ("no",)),
        (None, ()),
        (float("nan"), ()),
        (" ", ()),
        ([], ()),
        (["Ada", None], ("Ada",)),
        (np.array(["Ada", "Grace"]), ("Ada", "Grace")),
        (np.float64(3.0), ("3",)),
        ({"text": ["Ada", "Grace"], "answer_start": [1, 5]}, ("Ada", "Grace")),
        ([{"text": "Ada", "answer_start": 1}], ("Ada",)),
        ({"value": "Ada", "aliases": ["Ada Lovelace"], "type": "Person"}, ("Ada", "Ada Lovelace")),
        ([{"answer": "Ada", "provenance": []}, {"provenance": []}], ("Ada",)),
    ],
)
def test_every_shape_of_answers(value, answers):
    assert read(value) == answers
    assert read_answers(Record({"other": [], "answer": value, "gold": "Grace"}, ""), "other", "answer") == answers


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"start": 3}, "'answer' must be text or a list, or an object with text or value or answer"),
        (["Ada", {1, 2}], r"'answer\[1\]' must be text or a list of texts, but is set"),
        ("A\0B", "'answer' holds a NUL character"),
    ],
)
def test_what_is_no_answer(value, problem):
    with pytest.raises(InputError, match=f"mine.csv, line 2: {problem}"):
        read(value)
