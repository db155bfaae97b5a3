"""The lines of a text file, plain, gzip or bzip2, decoded strictly and numbered."""

from __future__ import annotations

import bz2
import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ...base import DamagedFileError, InputError, reading
from ..reading import OnBad, refuse

PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2"}
"""The first bytes of a packed file, and the name of the packing."""
ENDINGS = {".gz": "gzip", ".bz2": "bzip2"}
"""The packings by the ending of a file's name."""
LONGEST = 1 << 30
"""Bytes of a line; the largest question set known to us is one line of 0.7 GB."""
_PIECE = 1 << 24
_DENSEST, _UNNOTICED = 100, 1 << 28
"""Text is at most some ten times as large as it is packed; beyond 100 times, after the first 256 MiB, it is a trap."""


def read_lines(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[tuple[int, str]]:
    """Each line with its number, counted from 1; memory holds one line at a time.

    Raises `InputError` for a file that is missing, a folder, or badly packed; `on_bad` is told of a line that is not
    UTF-8.
    """
    number = 0
    with open_bytes(path) as file:
        try:
            for number, line in enumerate(_bounded(file, path), start=1):
                try:
                    text = _decode(line, path, number)
                except InputError as error:
                    on_bad(error)
                else:
                    yield number, text
        except (EOFError, zlib.error, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the data's
                raise
            packing = "gzip" if isinstance(file, gzip.GzipFile) else "bzip2"
            raise DamagedFileError(
                f"{path}: the {packing} data breaks off or is damaged after line {number} ({error}); get the file "
                "again."
            ) from error


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """The file's bytes, unpacked if they are gzip or bzip2, under any name."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give one of the files in it.")
    try:
        with reading(target) as file:
            begin = file.read(max(map(len, PACKINGS)))
        packing = next((name for magic, name in PACKINGS.items() if begin.startswith(magic)), None)
        if (named := ENDINGS.get(target.suffix)) not in (None, packing):
            message = f"{target} is named {target.suffix}, but its content is not {named}; rename or compress it."
            raise DamagedFileError(message)
        if packing == "bzip2":
            return cast(IO[bytes], bz2.open(target))
        return cast(IO[bytes], gzip.open(target)) if packing == "gzip" else reading(target)
    except FileNotFoundError as error:
        raise InputError(f"{target} does not exist.") from error
    except OSError as error:
        raise InputError(f"cannot read {target}: {error.strerror}.") from error


def _bounded(file: IO[bytes], path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines, none of them endless, and no more of them than a packed file can hold of a text."""
    packed = isinstance(file, bz2.BZ2File | gzip.GzipFile)
    most = max(_UNNOTICED, _DENSEST * os.stat(path).st_size) if packed else None
    pieces: list[bytes] = []
    total = length = 0
    while piece := file.readline(_PIECE):
        total, length = total + len(piece), length + len(piece)
        if most is not None and total > most:
            raise DamagedFileError(
                f"{path} unzips to more than {_DENSEST} times its size, which no text does; get the file again."
            )
        if length > LONGEST:
            raise DamagedFileError(f"{path} has a line of more than {LONGEST:,} bytes; it is no file of records.")
        if not piece.endswith(b"\n"):
            pieces.append(piece)
            continue
        yield b"".join((*pieces, piece)) if pieces else piece
        pieces, length = [], 0
    if pieces:
        yield b"".join(pieces)


def _decode(line: bytes, path: str | os.PathLike[str], number: int) -> str:
    try:
        # A byte order mark may open the file; anywhere else it is an ordinary character.
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{path}, line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8 text."
        ) from error
