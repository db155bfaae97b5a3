import json

import pytest

from multihop import InputError
from multihop.cli.commands.serve import LONGEST, example_questions
from multihop.cli.data_options import CorpusOptions
from multihop.data import open_questions


def test_the_encyclopedia_offers_questions_of_its_own():
    offered = example_questions(CorpusOptions(), None, "little")
    assert offered == [each.question for each in open_questions("little")][:3]


def test_a_question_file_offers_its_first_short_ones(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = ["w" * (LONGEST + 1), "one?", "two?", "one?", "three?", "four?"]
    file.write_text("\n".join(json.dumps({"question": text, "answer": "a"}) for text in rows))
    assert example_questions(CorpusOptions(), str(file), "little") == ["one?", "two?", "three?"]


def test_what_brings_no_questions_offers_none():
    assert example_questions(CorpusOptions(), None, "http://127.0.0.1:1") == []


def test_a_file_without_questions_is_refused(tmp_path):
    with pytest.raises(InputError, match="none.jsonl"):
        example_questions(CorpusOptions(), str(tmp_path / "none.jsonl"), "little")
