import errno
import os
import pathlib

import pytest

from multihop.base import InputError, writing, writing_folder


def test_a_file_appears_only_when_the_block_ends_well(tmp_path):
    target = tmp_path / "deep" / "note.txt"
    with writing(target) as file:
        file.write("half")
        assert not target.exists()
    assert target.read_text() == "half"
    assert os.listdir(target.parent) == ["note.txt"]


def test_a_failing_block_leaves_the_old_file_and_no_scraps(tmp_path):
    target = tmp_path / "note.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), writing(target) as file:
        file.write("new")
        raise RuntimeError
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["note.txt"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    with writing(tmp_path / "ours", "wb") as file:
        file.write(b"\x00")
    assert (tmp_path / "ours").stat().st_mode == plain.stat().st_mode
    (tmp_path / "folder").mkdir()
    with writing_folder(tmp_path / "made", marker="x.json"):
        pass
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "folder").stat().st_mode


def test_what_other_threads_create_meanwhile_gets_no_other_permissions(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is that of all threads"))
    with writing(tmp_path / "note.txt") as file:
        file.write("whole")
    with writing_folder(tmp_path / "made", marker="x.json"):
        pass


def test_a_folder_appears_whole_and_replaces_only_its_own_kind(tmp_path):
    target = tmp_path / "index"
    for content in ("first", "second"):
        with writing_folder(target, marker="index.json") as folder:
            (folder / "index.json").write_text(content)
            assert content == "second" or not target.exists()
    assert (target / "index.json").read_text() == "second"
    assert os.listdir(tmp_path) == ["index"]


def test_a_strangers_folder_is_not_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    with pytest.raises(InputError, match="not ours to replace"), writing_folder(tmp_path / "thesis", marker="x.json"):
        pass
    with pytest.raises(InputError, match="not ours to replace"):
        (tmp_path / "file").write_text("")
        with writing_folder(tmp_path / "file", marker="x.json"):
            pass


def test_a_failing_folder_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing_folder(tmp_path / "index", marker="x.json") as folder:
        (folder / "x.json").write_text("")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_a_parent_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder that can be made"), writing(tmp_path / "file" / "x"):
        pass


def test_what_is_no_file_is_not_replaced(tmp_path):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for target in (pipe, folder):
        with pytest.raises(InputError, match=f"cannot write {target}: it exists and is not a file"), writing(target):
            pass
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [folder, pipe]


@pytest.mark.parametrize("write", [writing, lambda path: writing_folder(path, marker="m")])
def test_a_folder_that_takes_no_file_is_told_by_the_name_of_the_target(write, tmp_path, monkeypatch):
    def full(path, *_, exist_ok=False, **__):
        if not exist_ok:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "mkdir", full)
    monkeypatch.setattr("builtins.open", full)
    with pytest.raises(InputError) as caught, write(tmp_path / "made"):
        pass
    assert str(caught.value) == f"cannot write {tmp_path / 'made'}: No space left on device."
