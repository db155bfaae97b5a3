import os

import pytest

from multihop.optimize.artefact import find_corpus, stored_corpus


@pytest.mark.parametrize(
    "name", ["hub:hotpotqa/train", "s3://bucket/corpus.jsonl", "mine:Retriever", "hotpotqa", "//host/wiki", "http://h"]
)
def test_what_is_no_path_is_not_written_down(name, tmp_path):
    assert stored_corpus(name, tmp_path / "p.json") is None


def test_the_little_encyclopedia_has_its_name_everywhere(tmp_path):
    assert stored_corpus("little", tmp_path / "p.json") == find_corpus("little", tmp_path / "p.json") == "little"


@pytest.mark.parametrize(
    ("corpus", "file", "stored"),
    [
        ("indexes/wiki", "tor.json", "./indexes/wiki"),
        ("indexes/wiki", "programs/tor.json", "../indexes/wiki"),
        ("wiki", "deep/er/tor.json", "../../wiki"),
        (".", "tor.json", "./."),
        ("/wiki", "tor.json", "/wiki"),
        ("corpus.jsonl.gz", "tor.json", "./corpus.jsonl.gz"),
    ],
)
def test_a_path_is_written_as_seen_from_the_file(corpus, file, stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wiki").mkdir()
    assert stored_corpus(corpus, file) == stored


def test_the_home_folder_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert stored_corpus("~/wiki", tmp_path / "tor.json") == "./wiki"


def test_a_path_seen_from_the_file_is_found_before_one_of_the_working_directory(tmp_path, monkeypatch):
    for folder in ("here", "there"):
        (tmp_path / folder / "wiki").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    file = tmp_path / "there" / "tor.json"
    assert find_corpus("./wiki", file) == str(tmp_path / "there" / "wiki")


def test_a_link_to_the_file_finds_what_lies_beside_the_file(tmp_path):
    (tmp_path / "third" / "wiki").mkdir(parents=True)
    (tmp_path / "third" / "tor.json").touch()
    os.symlink(tmp_path / "third" / "tor.json", tmp_path / "current.json")
    assert find_corpus("./wiki", tmp_path / "current.json") == str(tmp_path / "third" / "wiki")
