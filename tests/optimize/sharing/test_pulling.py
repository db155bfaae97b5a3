import hashlib
import os

import pytest
import ujson
from forging import forge
from full_disk import no_room_for
from model_hub import READER

from multihop import DamagedFileError, InputError, MismatchError, load, pull, push


@pytest.fixture
def there(path, hub):
    """A program in a repository, with files that nobody asked for."""
    files = {"README.md": b"# films", "program.json": path.read_bytes(), "model.bin": b"\x80\x04", "setup.py": b"1/0"}
    hub.add("ada/films", files)
    return files


def test_the_program_and_nothing_else_is_fetched(there, hub, tmp_path):
    pulled = pull("hf://ada/films", tmp_path / "new" / "mine.json")
    assert pulled.path.read_bytes() == there["program.json"]
    assert pulled.sha256 == hashlib.sha256(there["program.json"]).hexdigest()
    assert pulled.not_taken == ("model.bin", "setup.py")
    assert [path for _, path in hub.asked if "resolve" in path] == [
        f"/ada/films/resolve/{hub.branches['ada/films', 'main']}/program.json"
    ]
    assert os.listdir(tmp_path / "new") == ["mine.json"]


def test_it_has_the_name_of_the_place_unless_told(there, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "index")
    assert str(pull("hf://ada/films").path) == "films.json"


def test_a_revision(path, hub, tmp_path):
    push(path, "hf://ada/films")
    push(path, "hf://ada/films", revision="v2")
    commit = hub.branches["ada/films", "v2"]
    for revision in ("v2", commit):
        assert pull("hf://ada/films", tmp_path / f"{revision}.json", revision=revision).path.exists()
    with pytest.raises(InputError, match="ada/films has no revision 'v3'."):
        pull("hf://ada/films@v3", tmp_path / "v3.json")


def test_who_may_read_a_private_one(path, hub, tmp_path, monkeypatch):
    push(path, "hf://ada/films")
    monkeypatch.setenv("HF_TOKEN", READER)
    assert pull("hf://ada/films", tmp_path / "a.json").path.exists()
    monkeypatch.setenv("HF_TOKEN", "hf_of_nobody")
    with pytest.raises(InputError, match="the hub has no ada/films, or does not show it to you"):
        pull("hf://ada/films", tmp_path / "b.json")


def test_what_is_there_is_replaced_only_if_that_is_said(there, tmp_path):
    (tmp_path / "mine.json").write_text("mine")
    with pytest.raises(
        InputError, match="mine.json is there already, and was left as it is; choose another file with --to"
    ):
        pull("hf://ada/films", tmp_path / "mine.json")
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert pull("hf://ada/films", tmp_path / "mine.json", replace=True).path.read_bytes() == there["program.json"]


def test_the_one_that_was_meant(there, tmp_path):
    digest = hashlib.sha256(there["program.json"]).hexdigest()
    with pytest.raises(MismatchError, match="hf://ada/films is not the file that was pinned: its sha256 is"):
        pull("hf://ada/films", tmp_path / "mine.json", sha256="0" * 64)
    assert not (tmp_path / "mine.json").exists()
    assert pull("hf://ada/films", tmp_path / "mine.json", sha256=["0" * 64, digest]).sha256 == digest


def content_of(path):
    """What else may be called program.json, each with what is said of it."""
    yield b"\x80\x04.", DamagedFileError, "hf://ada/films is not whole JSON; a saved program is one JSON object."
    yield b"{}", DamagedFileError, "hf://ada/films is not a program saved by multihop."
    yield path.read_bytes()[:-100], DamagedFileError, "hf://ada/films is not whole JSON"
    edited = path.read_text().replace('"k": 2', '"k": 9').encode()
    yield edited, DamagedFileError, "hf://ada/films was changed after it was saved"
    content = ujson.loads(path.read_text())
    content["metadata"]["multihop"]["format"] = 2
    yield ujson.dumps(content).encode(), MismatchError, "hf://ada/films has format 2; this version reads format 1."
    yield None, InputError, "hf://ada/films holds no program.json."


def test_what_is_no_saved_program_is_not_written(path, hub, tmp_path):
    for content, kind, problem in content_of(path):
        hub.add("ada/films", {"README.md": b""} | ({} if content is None else {"program.json": content}))
        with pytest.raises(kind) as caught:
            pull("hf://ada/films", tmp_path / "mine.json")
        assert problem in str(caught.value)
        assert not (tmp_path / "mine.json").exists()


def test_half_a_download_and_a_full_disk_leave_nothing(there, hub, tmp_path):
    (tmp_path / "out").mkdir()
    hub.cut = True
    with pytest.raises(DamagedFileError, match="did not come whole, and nothing was written; the same command gets it"):
        pull("hf://ada/films", tmp_path / "out" / "mine.json")
    hub.cut = False
    with no_room_for(100), pytest.raises(InputError, match="cannot write .*mine.json: File too large."):
        pull("hf://ada/films", tmp_path / "out" / "mine.json")
    assert os.listdir(tmp_path / "out") == []


def test_from_a_folder(path, tmp_path):
    push(path, f"file:{tmp_path}/shared")
    (tmp_path / "shared" / "other.bin").write_bytes(b"1")
    pulled = pull(f"file:{tmp_path}/shared", tmp_path / "mine.json")
    assert pulled.not_taken == ("other.bin",)
    assert load(pulled.path, corpus=tmp_path / "index").settings["k"] == 2


def test_a_shared_program_opens_no_folder_of_this_machine(path, hub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forge(path, lambda _, ours: ours.update(corpus="./index"))
    hub.add("ada/films", {"program.json": path.read_bytes()})
    with pytest.raises(
        InputError, match="hf://ada/films names the corpus ./index, and what a saved program's file names"
    ):
        load("hf://ada/films")
    assert load("hf://ada/films", trust=True).settings["k"] == 2
    assert load("hf://ada/films", corpus="index").settings["k"] == 2
