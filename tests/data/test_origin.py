import json

import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_questions, open_retriever, write_questions
from multihop.data.question import Question
from multihop.data.sources import local_path
from multihop.retrieval import BM25, Passage

EMMA = Passage("1", "Emma", "A novel by Jane Austen.")
DUSK = Passage("2", "Dusk", "A novel by Rosa Tiel.")
WHO = Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))


@pytest.fixture
def folder(tmp_path):
    """Two passages in two files, among files and folders of other kinds."""
    home = tmp_path / "corpus"
    (home / "more").mkdir(parents=True)
    (home / "b.csv").write_text(f"id,title,text\n2,Dusk,{DUSK.text}\n")
    (home / "a.jsonl").write_text(json.dumps(EMMA._asdict()))
    (home / "README.md").write_text("# Two novels")
    (home / ".hidden.jsonl").write_text("broken")
    (home / "more" / "c.jsonl").write_text("broken")
    return home


def test_the_files_of_a_folder_in_the_order_of_their_names(folder):
    assert list(open_corpus(folder)) == [EMMA, DUSK]
    assert open_retriever(folder).search(["Rosa Tiel"], k=1)[0][0].passage == DUSK


def test_questions_in_a_folder(tmp_path):
    write_questions(tmp_path / "b.jsonl", [WHO])
    write_questions(tmp_path / "a.jsonl.gz", [Question(id="q0", question="Who?", answers=("Ada",))])
    assert [question.id for question in open_questions(tmp_path)] == ["q0", "q1"]


def test_ids_must_be_unique_in_the_whole_folder(folder):
    (folder / "c.jsonl").write_text(json.dumps(EMMA._asdict()))
    with pytest.raises(InputError, match=r"c\.jsonl, line 1: the id '1' is in an earlier record too"):
        list(open_corpus(folder))


def test_a_folder_without_files_to_read(tmp_path):
    with pytest.raises(InputError, match=r"is a folder without a file that can be read: \.json, "):
        list(open_corpus(tmp_path))


def test_an_index_folder_stays_an_index(tmp_path):
    made = BM25.build([EMMA, DUSK], folder=tmp_path / "index")
    assert list(open_corpus(tmp_path / "index")) == [EMMA, DUSK]
    assert open_retriever(tmp_path / "index").fingerprint == made.fingerprint
    with pytest.raises(InputError, match="is an index; give it as the corpus"):
        list(open_questions(tmp_path / "index"))


@pytest.mark.parametrize("address", ["https://here.org/a.jsonl", "http://here.org/a.tsv.gz", "s3://bucket/a.jsonl"])
@pytest.mark.parametrize("open_source", [open_questions, open_corpus, open_retriever])
def test_addresses(open_source, address):
    with pytest.raises(InputError, match=f"^{address} is an address; download the file first and give its path.$"):
        open_source(address)


def test_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    BM25.build([EMMA], folder="~/index")
    write_questions("~/q.jsonl", [WHO])
    assert local_path("~/corpus") == folder
    assert list(open_corpus("~/corpus/b.csv")) == [DUSK]
    assert list(open_corpus("~/index")) == [EMMA]
    assert list(open_questions("~/q.jsonl")) == [WHO]
    assert open_retriever("~/index").search(["Emma"], k=1)[0][0].passage == EMMA
