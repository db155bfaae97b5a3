import os
import socket

import pytest

from multihop.base import DamagedFileError, InputError, read_small, reading
from multihop.base.files import others_can_write


def test_an_ordinary_file_is_read_also_through_a_link(tmp_path):
    (tmp_path / "note").write_bytes(b"one\ntwo\n")
    (tmp_path / "link").symlink_to("note")
    with reading(tmp_path / "link") as file:
        assert list(file) == [b"one\n", b"two\n"]
    assert read_small(str(tmp_path / "note")) == b"one\ntwo\n"


@pytest.mark.parametrize("read", [reading, read_small])
def test_what_is_no_file_is_refused_and_never_waited_for(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name, kind in {"pipe": "a pipe", "link": "a device", "socket": "a socket"}.items():
            with pytest.raises(InputError, match=f"{name} is {kind}, and only ordinary files are read; copy"):
                read(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read(tmp_path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")


def test_a_small_file_has_a_largest_size(tmp_path):
    (tmp_path / "note").write_bytes(b"12345")
    assert read_small(tmp_path / "note", most=5) == b"12345"
    with pytest.raises(DamagedFileError, match="note has more than 4 bytes"):
        read_small(tmp_path / "note", most=4)
    assert read_small("/proc/self/stat") if os.path.exists("/proc/self/stat") else True  # its size is 0, and it ends


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home" / "cache").mkdir(parents=True)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("where", "mode", "open_to_others"),
    [
        (".", 0o755, False),
        (".", 0o777, True),
        (".", 0o1777, False),  # in a folder such as /tmp nobody renames what is another's
        ("cache", 0o777, True),
        ("cache", 0o1777, True),
        ("cache", 0o700, False),
    ],
)
def test_whoever_can_write_into_it_or_put_another_in_its_place(home, where, mode, open_to_others):
    (home / where).chmod(mode)
    assert others_can_write(home / "cache") is open_to_others


def test_a_folder_of_another_user(home, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: os.stat(home).st_uid + 1)
    if os.stat(home).st_uid != 0:
        assert others_can_write(home / "cache")


@pytest.mark.parametrize(("group", "open_to_others"), [(0, False), (12345, True)])
def test_a_group_that_is_not_the_users_own(home, group, open_to_others):
    try:
        os.chown(home / "cache", -1, group)
    except PermissionError:
        pytest.skip("this user may not give a folder to that group")
    (home / "cache").chmod(0o775)
    assert others_can_write(home / "cache") is open_to_others
