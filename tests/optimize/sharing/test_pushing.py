import hashlib

import pytest
from full_disk import no_room_for

from multihop import InputError, load, push


def test_a_program_and_its_card_are_all_that_is_pushed(path, run, hub, tmp_path):
    pushed = push(path, "hf://ada/films", run=run, licence="cc0-1.0")
    files = hub.files("ada/films")
    assert set(files) == {".gitattributes", "README.md", "program.json"}
    assert b"| f1 | 50.0 | 0.0 \xe2\x80\x93 100.0 | 2 |" in files["README.md"]
    assert (pushed.place, pushed.left_out) == ("hf://ada/films", {"corpus": "./index"})
    assert pushed.sha256 == hashlib.sha256(files["program.json"]).hexdigest()
    assert hub.private["ada/films"]
    assert not [name for name, content in files.items() if str(tmp_path).encode() in content]
    assert load("hf://ada/films", corpus=tmp_path / "index", sha256=pushed.sha256).settings["k"] == 2


def test_to_everybody(path, hub):
    push(path, "hf://ada/films", public=True)
    assert not hub.private["ada/films"]


def test_another_revision(path, hub):
    push(path, "hf://ada/films")
    first = hub.files("ada/films")
    assert push(path, "hf://ada/films", revision="v2", licence="cc0-1.0").place == "hf://ada/films@v2"
    assert b"license: cc0-1.0" in hub.files("ada/films", "v2")["README.md"]
    assert hub.files("ada/films") == first


@pytest.mark.parametrize("there", ["program.json", "README.md"])
def test_what_is_there_is_replaced_only_if_that_is_said(path, hub, there):
    before = hub.add("ada/films", {there: b"mine"}, private=True)
    with pytest.raises(
        InputError, match=f"hf://ada/films holds a {there} already, and was left as it is; to put this one"
    ):
        push(path, "hf://ada/films")
    assert hub.branches["ada/films", "main"] == before
    push(path, "hf://ada/films", replace=True)
    assert hub.files("ada/films")[there] != b"mine"


def test_others_files_stay(path, hub):
    hub.add("ada/films", {"notes.txt": b"mine"}, private=True)
    push(path, "hf://ada/films")
    assert hub.files("ada/films")["notes.txt"] == b"mine"


def test_nothing_is_shown_to_everybody_unasked(path, hub):
    hub.add("ada/films", {}, private=False)
    with pytest.raises(
        InputError, match="everybody may read hf://ada/films; to push there all the same, give --public"
    ):
        push(path, "hf://ada/films")
    with pytest.raises(InputError, match="everybody may read hf://ada/films@v2"):
        push(path, "hf://ada/films", revision="v2")
    push(path, "hf://ada/films", public=True)


def test_a_private_place_stays_private(path, hub):
    hub.add("ada/films", {}, private=True)
    with pytest.raises(InputError, match="hf://ada/films is private, and a push does not change that"):
        push(path, "hf://ada/films", public=True)


def test_what_is_refused_here_is_not_told_to_the_hub(path, hub, tmp_path):
    for problem, arguments in {
        "is not a run": {"run": tmp_path},
        "is no place": {"place": "ada/films"},
        "cannot be read": {"path": tmp_path / "other.json"},
    }.items():
        with pytest.raises(InputError, match=problem):
            push(**{"path": path, "place": "hf://ada/films", **arguments})
    assert hub.asked == []


def test_a_full_disk_leaves_what_was_there(path, tmp_path):
    place = f"file:{tmp_path}/shared"
    push(path, place)
    before = {file.name: file.read_bytes() for file in (tmp_path / "shared").iterdir()}
    with no_room_for(100), pytest.raises(InputError, match="cannot write .*README.md"):
        push(path, place, replace=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "shared").iterdir()} == before
