import errno
import os
import pathlib
import socket
from unittest import mock

import pytest
from faulty_disk import FaultyDisk
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import DamagedFileError, InputError, files, open_ordinary, read_small, writing, writing_folder
from multihop.base.files import LineFile


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
    with pytest.raises(KeyboardInterrupt), writing_folder(tmp_path / "index", marker="x.json") as folder:
        (folder / "x.json").write_text("")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["note.txt"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is that of all threads"))
    plain = tmp_path / "plain"
    plain.write_text("")
    with writing(tmp_path / "ours", "wb") as file:
        file.write(b"\x00")
    assert (tmp_path / "ours").stat().st_mode == plain.stat().st_mode
    (tmp_path / "folder").mkdir()
    with writing_folder(tmp_path / "made", marker="x.json"):
        pass
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "folder").stat().st_mode


def test_a_folder_appears_whole_and_replaces_only_its_own_kind(tmp_path):
    target = tmp_path / "index"
    for content in ("first", "second"):
        with writing_folder(target, marker="index.json") as folder:
            (folder / "index.json").write_text(content)
            assert content == "second" or not target.exists()
    assert (target / "index.json").read_text() == "second"
    assert os.listdir(tmp_path) == ["index"]


def test_a_strangers_folder_and_what_is_no_file_are_not_replaced(tmp_path):
    pipe, thesis, file = tmp_path / "pipe", tmp_path / "thesis", tmp_path / "file"
    os.mkfifo(pipe)
    thesis.mkdir()
    for path in (file, thesis / "chapter1.tex"):
        path.write_text("years of work")
    for target in (file, thesis):
        with pytest.raises(InputError, match="not ours to replace"), writing_folder(target, marker="x.json"):
            pass
    for target in (pipe, thesis):
        with pytest.raises(InputError, match=f"cannot write {target}: it exists and is not a file"), writing(target):
            pass
    assert pipe.is_fifo()
    with pytest.raises(InputError, match="is not a folder that can be made"), writing(file / "x"):
        pass
    with pytest.raises(InputError, match=r"cannot write to .*lines: No such file or directory\."):
        LineFile(tmp_path / "nowhere" / "lines")


@pytest.mark.parametrize("write", [writing, lambda path: writing_folder(path, marker="m")])
def test_a_folder_that_takes_no_file_is_told_by_the_name_of_the_target(write, tmp_path, monkeypatch):
    def full(path, *_, exist_ok=False, **__):
        if not exist_ok:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "mkdir", full)
    monkeypatch.setattr("builtins.open", full)
    with pytest.raises(InputError, match=r"^cannot write .*made: No space left on device\.$"), write(tmp_path / "made"):
        pass


@pytest.mark.parametrize("read", [open_ordinary, read_small])
def test_what_is_no_file_is_refused_and_never_waited_for(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name, kind in {"pipe": "a pipe", "link": "a device", "socket": "a socket"}.items():
            with pytest.raises(InputError, match=f"{name} is {kind}, and only ordinary files are read; copy"):
                read(tmp_path / name)
    with pytest.raises((IsADirectoryError, InputError), match="Is a directory"):
        read(tmp_path)
    with pytest.raises((FileNotFoundError, InputError), match="No such file"):
        read(tmp_path / "nothing")


def test_a_small_file_has_a_largest_size(tmp_path):
    (tmp_path / "note").write_bytes(b"12345")
    assert read_small(tmp_path / "note", most=5) == b"12345"
    with pytest.raises(DamagedFileError, match="note has more than 4 bytes"):
        read_small(tmp_path / "note", most=4)
    assert read_small("/proc/self/stat") if os.path.exists("/proc/self/stat") else True  # its size is 0, and it ends


LINES = st.lists(st.binary(max_size=40).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=8)
ERRORS = st.sampled_from([errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG])


def whole_lines(path):
    """The lines as every reader here reads them."""
    with open(path, "rb") as file:
        return [line for line in file if line.endswith(b"\n")]


def refusal(write, *arguments, **options):
    """The sentence with which it is refused; None if it is not."""
    try:
        write(*arguments, **options)
    except InputError as error:
        return str(error)


@given(
    LINES, st.integers(0, 400), ERRORS, st.integers(1, 50), st.booleans(), st.booleans(), st.sampled_from([0, 1, 30])
)
def test_a_disk_that_fails_at_any_byte_leaves_whole_lines_and_all_that_were_taken(
    tmp_path_factory, lines, room, error, piece, stuck, syncs, reserve
):
    path = tmp_path_factory.mktemp("disk") / "lines"
    disk = FaultyDisk(room, error=error, piece=piece, stuck=stuck, syncs=syncs)
    with mock.patch.object(files, "os", disk):
        file, taken = LineFile(path, reserve=reserve), []
        for line in lines:
            if (said := refusal(file.append, line, sync=not reserve)) is None:
                taken.append(line)
            assert said in (None, f"cannot write to {path}: {os.strerror(error)}.")
            assert whole_lines(path)[: len(taken)] == taken
        disk.mend()
        file.append(b"after\n")
        file.close()
        assert path.read_bytes() == b"".join([*taken, b"after\n"])


@given(LINES, st.integers(0, 3000), ERRORS, st.integers(1, 50))
def test_what_was_checked_before_is_written_however_full_the_disk_is(tmp_path_factory, lines, room, error, piece):
    path = tmp_path_factory.mktemp("disk") / "lines"
    with mock.patch.object(files, "os", FaultyDisk(room, error=error, piece=piece)):
        file, made = LineFile(path, reserve=64), []
        for line in lines:
            if refusal(file.check) is None:  # else it is not begun
                file.append(line, from_reserve=True)
                made.append(line)
        file.close()
    assert path.read_bytes() == b"".join(made)


@pytest.mark.parametrize(("stuck", "left"), [(False, b""), (True, b"secon")])
def test_what_is_cut_short_is_cut_off_at_once_or_before_anything_is_written_behind_it(tmp_path, stuck, left):
    path, disk = tmp_path / "lines", FaultyDisk(9, stuck=stuck)
    with mock.patch.object(files, "os", disk):
        file = LineFile(path)
        file.append(b"one\n")
        for _ in range(2):
            with pytest.raises(InputError, match="No space left"):
                file.append(b"second\n")
            assert path.read_bytes() == b"one\n" + left
        disk.mend()
        file.append(b"2\n")
        assert path.read_bytes() == b"one\n2\n"
        file.close()


def test_a_reserve_stands_behind_the_lines_only_while_the_file_is_open(tmp_path):
    (tmp_path / "lines").write_bytes(b"one\nhal" + b" " * 99)  # as a process leaves it that is killed
    file = LineFile(tmp_path / "lines", 4, reserve=10)
    assert (tmp_path / "lines").read_bytes() == b"one\n", "what stood behind its last whole line is cut off"
    file.append(b"two\n")
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\n" + b" " * 20
    assert file.read(4, 8) == b"two\n"
    file.close()
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\n"
