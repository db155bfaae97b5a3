"""BrowseComp-Plus: the decrypted questions with their pages."""

import json

import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_questions

PAGES = {
    number: {"docid": number, "text": f"Page {number}.", "url": f"https://a.example/{number}"} for number in "3579"
}
ROW = {
    "query_id": 769,
    "query": "Where was the author of the novel born?",
    "answer": "Torun",
    "gold_docs": [PAGES["7"]],
    "evidence_docs": [PAGES["3"], PAGES["7"]],
    "negative_docs": [PAGES["9"]],
}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_decrypted_file(tmp_path):
    path = write(tmp_path / "browsecomp_plus_decrypted.jsonl", ROW)
    (question,) = open_questions(path)
    assert (question.id, question.question, question.answers) == ("769", ROW["query"], ("Torun",))
    assert question.supporting == ("3", "7")
    assert [(passage.id, passage.text) for passage in open_corpus(path)] == [
        ("7", "Page 7."), ("3", "Page 3."), ("9", "Page 9.")
    ]  # fmt: skip


def test_its_corpus_goes_by_the_same_ids(tmp_path):
    assert [passage.id for passage in open_corpus(write(tmp_path / "corpus.jsonl", *PAGES.values()))] == [*"3579"]


def test_without_evidence_the_pages_with_the_answer_are_gold(tmp_path):
    row = {name: value for name, value in ROW.items() if name != "evidence_docs"}
    (question,) = open_questions(write(tmp_path / "q.jsonl", row))
    assert question.supporting == ("7",)


def test_what_is_encrypted_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"q\.jsonl, line 1: the texts are encrypted; decrypt them with scripts_build"):
        list(open_questions(write(tmp_path / "q.jsonl", {**ROW, "query": "CwwKFx0="})))
