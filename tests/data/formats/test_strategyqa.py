import json

import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_questions
from multihop.data.files.record import Record
from multihop.data.formats import strategyqa
from multihop.data.formats.known_formats import format_of

OFFICIAL = {
    "qid": "872bbe537319a87a1ba9",
    "term": "Albany, Georgia",
    "description": "City in Georgia, United States",
    "question": "Will the Albany in Georgia reach a hundred thousand before the one in New York?",
    "answer": False,
    "facts": ["One has 75,000 people.", "The other has almost 100,000."],
    "decomposition": ["What is the population of one?", "What is the other's?", "Is #1 more than #2?"],
    "evidence": [
        [["no_evidence"], ["operation"], ["operation"]],
        [[["Albany, Georgia-1"]], [["Albany, New York-60", "Albany, Georgia-1"], "no_evidence"], ["operation"]],
        [[["Elsewhere-1"]], [["Elsewhere-2"]], ["operation"]],
    ],
}


def read(**changes):
    record = Record({**OFFICIAL, "id": "s1", **changes}, "strategyqa_train.json, item 1")
    assert format_of(record) is strategyqa.FORMAT
    return strategyqa.read(record)


def test_the_official_file(tmp_path):
    (tmp_path / "strategyqa_train.json").write_text(json.dumps([OFFICIAL]))
    (question,) = open_questions(tmp_path / "strategyqa_train.json")
    assert (question.id, question.answers) == ("872bbe537319a87a1ba9", ("no",))
    assert question.supporting == ("Albany, Georgia-1", "Albany, New York-60")
    assert (question.hops, question.decomposition) == (3, ())


def test_copies_without_evidence_and_steps():
    question = read(answer=True, facts="One. Two.", evidence=None, decomposition=None)
    assert (question.answers, question.supporting, question.hops) == (("yes",), (), 0)


def test_the_paragraphs_by_their_ids(tmp_path):
    paragraphs = {
        "Albany, Georgia-1": {"title": "Albany, Georgia", "section": "", "headers": [], "content": "A."},
        "Albany, New York-60": {"title": "Albany, New York", "section": "", "para_index": 60, "content": "B."},
    }  # fmt: skip
    for indent in (None, 2):
        (tmp_path / "paragraphs.json").write_text(json.dumps(paragraphs, indent=indent))
        assert list(open_corpus(tmp_path / "paragraphs.json")) == [
            ("Albany, Georgia-1", "Albany, Georgia", "A."),
            ("Albany, New York-60", "Albany, New York", "B."),
        ]


def test_evidence_that_is_no_text():
    with pytest.raises(InputError, match=r"item 1: 'evidence' must be text, but is a number"):
        read(evidence=[[[["a", 5]]]])
