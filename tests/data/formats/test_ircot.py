import json

import pytest

from multihop.base import InputError
from multihop.data import gather_passages, open_questions
from multihop.data.files.record import Record
from multihop.data.formats import ircot
from multihop.data.formats.format import content_id
from multihop.data.formats.known_formats import format_of

EMPTY = {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": []}
CONTEXTS = [
    {"idx": 0, "title": "Dusk", "paragraph_text": "Dusk is a novel by Rosa Tiel.", "is_supporting": True},
    {"idx": 1, "title": "Rosa Tiel", "paragraph_text": "Born in Torun.", "is_supporting": True},
    {"idx": 2, "title": "Torun", "paragraph_text": "A city.", "is_supporting": False},
]
HOTPOTQA = {
    "dataset": "hotpotqa",
    "question_id": "5ab92dba554299131ca422a2",
    "question_text": "Where was the author of Dusk born?",
    "level": "hard",
    "type": "bridge",
    "answers_objects": [{**EMPTY, "spans": ["Torun"]}],
    "contexts": CONTEXTS,
}
TWO_WIKI = {
    "question_id": "8813f87c0bdd11eba7f7acde48001122",
    "question_text": "Where was the author of Dusk born?",
    "answers_objects": [{**EMPTY, "spans": ["Torun"]}],
    "contexts": CONTEXTS,
    "reasoning_steps": ["Dusk author Rosa Tiel", "Rosa Tiel place of birth Torun"],
}
MUSIQUE = {
    "question_id": "2hop__482757_12019",
    "question_text": "Where was the author of Dusk born?",
    "contexts": CONTEXTS,
    "answers_objects": [{**EMPTY, "spans": ["Torun"]}],
    "reasoning_steps": ["Dusk >> author >>>> Rosa Tiel", "Where was Rosa Tiel born? >>>> Torun"],
}


def read(row):
    record = Record({**row, "id": row["question_id"]}, "test_subsampled.jsonl, line 1")
    assert format_of(record) is ircot.FORMAT
    return ircot.read(record)


def test_hotpotqa_from_the_file(tmp_path):
    (tmp_path / "test_subsampled.jsonl").write_text(json.dumps(HOTPOTQA) + "\n")
    (question,) = open_questions(tmp_path / "test_subsampled.jsonl")
    assert (question.id, question.answers) == (HOTPOTQA["question_id"], ("Torun",))
    assert question.supporting == ("Dusk", "Rosa Tiel")
    assert (question.type, question.level, question.hops) == ("bridge", "hard", 2)
    assert question.passages[2] == ("Torun", "Torun", "A city.")


def test_two_wiki_goes_by_titles_too():
    question = read(TWO_WIKI)
    assert (question.supporting, question.hops, question.decomposition) == (("Dusk", "Rosa Tiel"), 2, ())


def test_musique_has_ids_of_title_and_content_and_its_steps():
    question = read(MUSIQUE)
    assert question.supporting == (
        content_id("Dusk", "Dusk is a novel by Rosa Tiel."),
        content_id("Rosa Tiel", "Born in Torun."),
    )
    assert [(hop.question, hop.answer) for hop in question.decomposition] == [
        ("Dusk >> author", "Rosa Tiel"),
        ("Where was Rosa Tiel born?", "Torun"),
    ]
    assert (question.type, question.hops) == ("2hop", 2)


def test_two_paragraphs_of_one_title_stay_two():
    other = {**CONTEXTS[0], "paragraph_text": "Dusk is a film.", "is_supporting": False}
    question = read({**HOTPOTQA, "contexts": [*CONTEXTS, other]})
    assert [passage.id for passage in question.passages] == [
        "Dusk", "Rosa Tiel", "Torun", content_id("Dusk", "Dusk is a film.")
    ]  # fmt: skip
    assert len(list(gather_passages([question, read(HOTPOTQA)]))) == 4


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([{**EMPTY, "spans": ["Ada", "Bob"]}], ("Ada, Bob",)),
        ([{**EMPTY, "number": 7}], ("7",)),
        ([{**EMPTY, "number": "1,200"}], ("1,200",)),
        ([{**EMPTY, "date": {"day": "3", "month": "May", "year": "1959"}}], ("3 May 1959",)),
        ([{**EMPTY, "spans": ["Torun"]}, {**EMPTY, "spans": ["Thorn"]}], ("Torun", "Thorn")),
        ([EMPTY], ()),
    ],
)
def test_answers_of_every_kind(answers, expected):
    assert read({**HOTPOTQA, "answers_objects": answers}).answers == expected


def test_a_bad_row_is_named():
    with pytest.raises(InputError, match=r"line 1, contexts\[0\]: no field 'paragraph_text'"):
        read({**HOTPOTQA, "contexts": [{"title": "Dusk"}]})
