"""The lines of a text file, plain or gzip, decoded strictly and numbered."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ...base import DamagedFileError, InputError
from ..skipped import OnBad, refuse

GZIP_MAGIC = b"\x1f\x8b"


def read_lines(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[tuple[int, str]]:
    r"""Each line with its number, counted from 1; memory holds one line at a time.

    Raises `InputError` for a file that is missing, a folder, or broken gzip; `on_bad` is told of a line that is not
    UTF-8.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data.files.lines import read_lines
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "notes.txt"
        >>> _ = path.write_text("first\nsecond\n")
        >>> list(read_lines(path))
        [(1, 'first\n'), (2, 'second\n')]
    """
    number = 0
    with open_bytes(path) as file:
        try:
            for number, line in enumerate(file, start=1):
                try:
                    text = _decode(line, path, number)
                except InputError as error:
                    on_bad(error)
                else:
                    yield number, text
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DamagedFileError(
                f"{path}: the gzip data breaks off or is damaged after line {number} ({error}); get the file again."
            ) from error


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """The file's bytes, unzipped if they are gzip, under any name."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give one of the files in it.")
    try:
        with target.open("rb") as file:
            zipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        if target.suffix == ".gz" and not zipped:
            raise DamagedFileError(f"{target} is named .gz, but its content is not gzip; rename or compress it.")
        return cast(IO[bytes], gzip.open(target)) if zipped else target.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"{target} does not exist.") from error
    except OSError as error:
        raise InputError(f"cannot read {target}: {error.strerror}.") from error


def _decode(line: bytes, path: str | os.PathLike[str], number: int) -> str:
    try:
        # A byte order mark may open the file; anywhere else it is an ordinary character.
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{path}, line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8 text."
        ) from error
