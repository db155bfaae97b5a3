import os

import pytest

from multihop.optimize.artefact import find_corpus, stored_corpus


@pytest.mark.parametrize(
    "name", ["hub:hotpotqa/train", "s3://b/c.jsonl", "mine:Retriever", "hotpotqa", "//h/w", "http://h"]
)
def test_what_is_no_path_is_not_written_down(name, tmp_path):
    assert stored_corpus(name, tmp_path / "p.json") is None


@pytest.mark.parametrize(
    ("corpus", "file", "stored"),
    [
        ("indexes/wiki", "tor.json", "./indexes/wiki"),
        ("indexes/wiki", "programs/tor.json", "../indexes/wiki"),
        ("wiki", "deep/er/tor.json", "../../wiki"),
        (".", "tor.json", "./."),
        ("/wiki", "tor.json", "/wiki"),
        ("~/wiki", "tor.json", "./wiki"),
        ("corpus.jsonl.gz", "tor.json", "./corpus.jsonl.gz"),
        ("little", "tor.json", "little"),
    ],
)
def test_a_path_is_written_as_seen_from_the_file(corpus, file, stored, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wiki").mkdir()
    assert stored_corpus(corpus, file) == stored


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
