"""Folders of questions beside their corpus: BEIR's, and HippoRAG's."""

import gzip
import json

import pytest

from multihop.base import InputError, MismatchError
from multihop.data import open_corpus, open_questions
from multihop.retrieval import Passage

from .layouts import CORPUS, NQ, POPQA

PASSAGES = [
    {"_id": "d1", "title": "Dusk", "text": "Dusk is a novel by Rosa Tiel.", "metadata": {"url": "https://a.example"}},
    {"_id": "d2", "title": "Rosa Tiel", "text": "Rosa Tiel was born in Torun.", "metadata": {}},
]
QUERIES = [
    {"_id": "q1", "text": "Where was the author of Dusk born?", "metadata": {"answer": "Torun"}},
    {"_id": "q2", "text": "Who wrote Dusk?", "metadata": {"answer": "Rosa Tiel"}},
    {"_id": "q3", "text": "Who?", "metadata": {}},
]
TEST = "query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td1\t2\nq1\td2\t1\nq2\td1\t1\nq2\td2\t0\n"


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "dusk"
    (home / "qrels").mkdir(parents=True)
    for name, rows in {"corpus": PASSAGES, "queries": QUERIES}.items():
        (home / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (home / "qrels" / "test.tsv").write_text(TEST)
    return home


def test_the_questions_of_the_only_split_and_their_corpus(folder):
    for packed in (False, True):
        for name in ("corpus.jsonl", "queries.jsonl") if packed else ():
            (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
            (folder / name).unlink()
        first, second = open_questions(folder)
        assert (first.id, first.question, first.answers) == ("q1", QUERIES[0]["text"], ("Torun",))
        assert first.supporting == ("d2", "d1"), "each once, in the order of the file"
        assert second.supporting == ("d1",), "a score of 0 is not relevant"
        assert list(open_corpus(folder)) == [
            Passage("d1", "Dusk", "Dusk is a novel by Rosa Tiel."),
            Passage("d2", "Rosa Tiel", "Rosa Tiel was born in Torun."),
        ]


def test_of_several_splits_one_is_named(folder):
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq3\td1\t1\n")
    with pytest.raises(InputError, match=r"has several splits; give the file of one .*dev\.tsv, .*test\.tsv"):
        list(open_questions(folder))
    (only,) = open_questions(folder / "qrels" / "dev.tsv")
    assert (only.id, only.answers, only.supporting) == ("q3", (), ("d1",))


def test_bad_judgements(folder):
    judgements = folder / "qrels" / "test.tsv"
    for row, problem in {"q1 d1 1": r"test\.tsv, line 2: must be a question's id", "": "judges nothing"}.items():
        judgements.write_text(f"query-id\tcorpus-id\tscore\n{row}\n")
        with pytest.raises(InputError, match=problem):
            list(open_questions(folder))
    judgements.unlink()
    with pytest.raises(InputError, match=r"has no qrels/SPLIT\.tsv"):
        list(open_questions(folder))


def test_bad_lines_are_left_out_and_a_question_that_is_missing_is_a_mismatch(folder):
    (folder / "qrels" / "test.tsv").write_text(TEST.replace("q2\td2\t0", "q2 d2 0"))
    questions = open_questions(folder, skip_bad=1)
    assert [question.id for question in questions] == ["q1", "q2"]
    assert questions.skipped.count == 1
    (folder / "queries.jsonl").write_text(json.dumps(QUERIES[0]))
    with pytest.raises(MismatchError, match=r"test\.tsv names 1 questions that are not in .*, such as 'q2'"):
        list(open_questions(folder, skip_bad=1))


def write(folder, name, *questions):
    (folder / f"{name}.json").write_text(json.dumps(questions))
    (folder / f"{name}_corpus.json").write_text(json.dumps(CORPUS))


@pytest.mark.parametrize("row", [NQ, POPQA])
def test_the_ids_of_hipporag_are_those_of_its_corpus(tmp_path, row):
    write(tmp_path, "set", row)
    (question,) = open_questions(tmp_path)
    gold = {passage.id: passage.title for passage in open_corpus(tmp_path)}
    assert [gold[each] for each in question.supporting] == ["Rosa Tiel"]


def test_its_sample_which_has_no_ids_and_its_text_under_either_name(tmp_path):
    sample = {"question": "Where was the author of Dusk born?", "answer": "Torun"}
    marked = [{"title": each["title"], "paragraph_text": each["text"], "is_supporting": True} for each in CORPUS]
    write(tmp_path, "sample", {**sample, "paragraphs": marked}, {**sample, "paragraphs": CORPUS})
    for question in open_questions(tmp_path / "sample.json"):
        assert question.answers == ("Torun",)
        assert list(question.passages) == list(open_corpus(tmp_path))


def test_a_folder_with_several_sets(tmp_path):
    write(tmp_path, "a", NQ)
    write(tmp_path, "b", POPQA)
    for open_source in (open_questions, open_corpus):
        with pytest.raises(InputError, match=r"has several sets; give the files of one: .*a\.json, .*b\.json"):
            list(open_source(tmp_path))
    for name in ("a.json", "b.json", "b_corpus.json"):
        (tmp_path / name).unlink()
    assert [passage.title for passage in open_corpus(tmp_path)] == ["Dusk", "Rosa Tiel", "Emma"]
