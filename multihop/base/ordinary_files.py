"""Files that anybody may have made, opened to be read: ordinary files alone, and no more bytes than are expected."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .errors import DamagedFileError, InputError

SMALL = 50_000_000
"""Bytes of a file that is read whole: a description, a program with all its demonstrations."""
LONGEST_RECORD = 1 << 28
"""Bytes of a record's line: a row with its whole search has some thousand."""
_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def reading(path: str | os.PathLike[str]) -> IO[bytes]:
    """The bytes of an ordinary file.

    Raises:
        OSError: It is not there, is a folder, or may not be read.
        InputError: It is a device, a pipe or a socket, which may have no end, or wait for ever.

    Examples:
        >>> from multihop.base import reading
        >>> reading("/dev/zero")
        Traceback (most recent call last):
        multihop.base.errors.InputError: /dev/zero is a device, and only ordinary files are read; copy what it gives ...
    """
    mode = os.stat(path).st_mode  # before it is opened, which with a device may do something
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        kind = _KINDS.get(stat.S_IFMT(mode), "no file")
        raise InputError(
            f"{os.fspath(path)} is {kind}, and only ordinary files are read; copy what it gives into a file."
        )
    return open(path, "rb", opener=_without_waiting)


def read_small(path: str | os.PathLike[str], *, most: int = SMALL) -> bytes:
    """All bytes of an ordinary file, which has at most so many.

    Raises:
        OSError: As for `reading`.
        InputError: It is no ordinary file.
        DamagedFileError: It has more bytes.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.base import read_small
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
        >>> _ = path.write_text("whole")
        >>> read_small(path)
        b'whole'
    """
    with reading(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise DamagedFileError(f"{os.fspath(path)} has more than {most:,} bytes, which no file of its kind has.")
    return content


def whole_lines(path: str | os.PathLike[str], *, start: int = 0) -> Iterator[bytes]:
    r"""The whole lines of an ordinary file of records, from a place in it on; a last one without its end is left out.

    Raises:
        OSError: As for `reading`.
        InputError: It is no ordinary file.
        DamagedFileError: A line is longer than any record.
    """
    with reading(path) as file:
        file.seek(start)
        while (line := file.readline(LONGEST_RECORD + 1)).endswith(b"\n"):
            yield line
        if len(line) > LONGEST_RECORD:
            raise DamagedFileError(
                f"{os.fspath(path)} has a line of more than {LONGEST_RECORD:,} bytes; it is no file of records."
            )


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def others_can_write(folder: str | os.PathLike[str]) -> bool:
    """True if another user can write into the folder, or put another one in its place; root is no other user.

    A group counts as the user's own if it has the user's number, as most Linux systems make one for each.
    """
    if not hasattr(os, "getuid"):
        return False  # Windows has no such numbers
    place = Path(folder).resolve()
    if place.exists() and _is_open(os.lstat(place)):
        return True
    states = (os.lstat(parent) for parent in place.parents if parent.exists())
    return any(_is_open(state) and not state.st_mode & stat.S_ISVTX for state in states)


def _is_open(state: os.stat_result) -> bool:
    user = os.getuid()
    foreign = state.st_uid not in (user, 0)
    by_group = bool(state.st_mode & stat.S_IWGRP) and state.st_gid not in (user, 0)
    return foreign or by_group or bool(state.st_mode & stat.S_IWOTH)
