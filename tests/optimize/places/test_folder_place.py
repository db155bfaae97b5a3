import os

import pytest

from multihop import InputError
from multihop.optimize.places.folder_place import FolderPlace
from multihop.optimize.places.place import Contents


def test_files_are_written_listed_and_read(tmp_path):
    place = FolderPlace(tmp_path / "new" / "films")
    assert place.look() is None
    at = place.write({"README.md": b"# films", "program.json": b"{}"}, public=False, found=None, message="")
    assert at == str(tmp_path / "new" / "films")
    assert place.look() == Contents({"README.md": 7, "program.json": 2})
    assert place.read("program.json") == b"{}"


def test_what_is_below_it_is_not_listed(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    assert FolderPlace(tmp_path).look() == Contents({"notes.txt": 4})


def test_a_folder_is_opened_to_nobody(tmp_path):
    with pytest.raises(InputError, match="--public is for hf://OWNER/NAME; who may read a folder"):
        FolderPlace(tmp_path / "films").write({"README.md": b""}, public=True, found=None, message="")
    assert not (tmp_path / "films").exists()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "films").write_text("")
    with pytest.raises(InputError, match="films cannot be read: Not a directory."):
        FolderPlace(tmp_path / "films").look()


def test_no_pipe_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "program.json")
    with pytest.raises(InputError, match="program.json is a pipe, and only ordinary files are read"):
        FolderPlace(tmp_path).read("program.json")


def test_what_is_not_there(tmp_path):
    with pytest.raises(InputError, match="program.json cannot be read: No such file or directory."):
        FolderPlace(tmp_path).read("program.json")
