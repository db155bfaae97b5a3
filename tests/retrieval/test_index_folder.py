import json

import pytest

from multihop.base import InputError
from multihop.retrieval import BM25, Passage, index_folder, is_index, open_index
from multihop.retrieval.index_folder import Manifest, open_manifest, read_manifest, seal


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.bin").write_bytes(b"some words")
    seal(tmp_path, {"kind": "words", "format": 3, "language": "français"})
    return tmp_path


def test_what_was_sealed_is_read_back_and_sound(folder, tmp_path):
    manifest = read_manifest(folder)
    assert manifest.language == "français"
    assert list(manifest.files) == ["words.bin"]
    assert open_manifest(folder, "words", 3, Manifest) == manifest
    places = [folder, str(folder), folder / "index.json", tmp_path / "missing"]
    assert [is_index(place) for place in places] == [True, True, False, False]


@pytest.mark.parametrize(
    ("kind", "version", "message"),
    [
        ("vectors", 3, "is an index of kind 'words', not 'vectors'; rebuild it with `multihop index`."),
        ("words", 4, "was written by an older version of multihop; rebuild it with `multihop index`."),
        ("words", 2, "was written by a newer version of multihop; rebuild it with `multihop index`."),
    ],
)
def test_other_kinds_and_versions_are_refused(folder, kind, version, message):
    with pytest.raises(InputError) as error:
        open_manifest(folder, kind, version, Manifest)
    assert str(error.value) == f"{folder} {message}"


@pytest.mark.parametrize("content", [b"some word", b"some wordz", b""])
def test_a_changed_file_and_a_missing_one_are_damage(folder, content):
    (folder / "words.bin").write_bytes(content)
    with pytest.raises(InputError, match=r"is damaged, words\.bin is not as it was written; rebuild it"):
        open_manifest(folder, "words", 3, Manifest)
    (folder / "words.bin").unlink()
    with pytest.raises(InputError, match=r"is damaged, words\.bin is missing; rebuild it"):
        open_manifest(folder, "words", 3, Manifest)


def test_of_large_files_the_size_is_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(index_folder, "_CHECKED_WHOLE", 5)
    (tmp_path / "words.bin").write_bytes(b"some words")
    seal(tmp_path, {"kind": "words", "format": 3})
    (tmp_path / "words.bin").write_bytes(b"more words")
    open_manifest(tmp_path, "words", 3, Manifest)
    (tmp_path / "words.bin").write_bytes(b"some word")
    with pytest.raises(InputError, match=r"words\.bin is not as it was written"):
        open_manifest(tmp_path, "words", 3, Manifest)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"kind": "words", "files": {}}'])
def test_a_manifest_that_makes_no_sense_is_damage(folder, content):
    (folder / "index.json").write_bytes(content)
    with pytest.raises(InputError, match=r"is damaged, index\.json is not as it was written; rebuild it"):
        read_manifest(folder)


def test_no_index(folder, tmp_path):
    (folder / "index.json").unlink()
    states = {folder: "has no index.json", tmp_path / "x": "is no folder", folder / "words.bin": "is no folder"}
    for path, state in states.items():
        with pytest.raises(InputError) as error:
            open_index(path)
        assert str(error.value) == f"{path} is not an index, it {state}; build one with `multihop index`."


def test_the_kind_decides_the_class(tmp_path):
    BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=tmp_path / "index")
    assert isinstance(open_index(tmp_path / "index"), BM25)
    seal(tmp_path, {"kind": "bm52", "format": 1})
    with pytest.raises(
        InputError,
        match=r"'bm52'; did you mean 'bm25'\? Valid: bm25, colbert, dense, hybrid, or MODULE:CLASS of your own$",
    ):
        open_index(tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"kind": "sharded", "format": 1, "files": {}}))
    with pytest.raises(InputError, match="is in shards, which are gone; rebuild it with `multihop index`"):
        open_index(tmp_path)
