import json

import pytest

from multihop import BM25, InputError, Passage
from multihop.cli.commands.serve import LONGEST, example_questions
from multihop.cli.data_options import CorpusOptions
from multihop.data import open_questions


def test_the_encyclopedia_offers_questions_of_its_own_of_different_kinds():
    offered = example_questions(CorpusOptions(), None, "little")
    kinds = {each.question: (each.type, each.hops) for each in open_questions("little")}
    assert offered[0] == "In which country was the discoverer of penicillin born?"
    assert len({kinds[question] for question in offered}) == 3


def test_a_question_file_offers_its_first_short_ones(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = ["w" * (LONGEST + 1), "one?", "two?", "one?", "three?", "four?"]
    file.write_text("\n".join(json.dumps({"question": text, "answer": "a"}) for text in rows))
    assert example_questions(CorpusOptions(), str(file), "little") == ["one?", "two?", "three?"]


def test_a_corpus_without_questions_is_asked_about_its_passages(tmp_path):
    titles = ["Radium", "", "Radium", "t" * (LONGEST + 1), "Po (river)", "Ada", "Last"]
    passages = [Passage(str(place), title, f"text {place}") for place, title in enumerate(titles)]
    BM25.build(passages, folder=tmp_path / "index")
    about = [f"Who or what is {title}?" for title in ("Radium", "Po (river)", "Ada")]
    assert example_questions(CorpusOptions(), None, str(tmp_path / "index")) == about


def test_a_server_that_does_not_give_its_passages_offers_none():
    assert example_questions(CorpusOptions(), None, "http://127.0.0.1:1") == []


def test_a_file_without_questions_is_refused(tmp_path):
    with pytest.raises(InputError, match="none.jsonl"):
        example_questions(CorpusOptions(), str(tmp_path / "none.jsonl"), "little")
