"""The records of a file, streamed, each with its place: JSON, CSV or TSV, plain or packed, and Parquet.

`datasets` reads such files too, but one bad line there fails the lines around it, so that none could be left out; its
import takes seconds, and 200 MB of JSON lines take it 290 MB of memory and three times as long as these readers, which
take 16 MB.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import ujson

from ..base import DamagedFileError, InputError, open_ordinary
from .reading import OnBad, refuse
from .record import Record

KINDS = {
    ".json": "json", ".jsonl": "json", ".ndjson": "json", ".csv": "table", ".tsv": "table", ".parquet": "parquet",
}  # fmt: skip
"""The kind of a file by the ending of its name; text may also end in .gz or .bz2."""
PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2"}
"""The first bytes of a packed file, and the name of the packing."""
ENDINGS = {".gz": "gzip", ".bz2": "bzip2"}
"""The packings by the ending of a file's name."""
LONGEST_LINE = 1 << 30
"""Bytes of a line; the largest question set known to us is one line of 0.7 GB."""
_PIECE = 1 << 24
_DENSEST, _UNNOTICED = 100, 1 << 22
"""Text is some ten times as large as it is packed; beyond 100 times, after the first 4 MiB, it is a trap."""
LINES = {".jsonl", ".ndjson"}
WRAPPERS = ("data", "questions", "examples", "passages", "documents", "corpus", "records", "rows", "items")
"""The names under which an object may hold its list of records."""
_OF_RECORDS = {"id", "_id", "question", "query", "title", "text", "contents", "Question", "Prompt"}
"""Fields of an object that is a record itself, whatever lists it holds."""
_TEXTS = {"text", "contents", "content"}
"""Fields of a passage that is held by its id."""


def read_records(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[Record]:
    """Every record of the file: JSON lines, a JSON array, an object that wraps one, CSV, TSV (also packed), Parquet.

    The name's ending says what the file is; where it does not, the content does. Memory holds one record at a time
    (Parquet: one batch), except for a JSON array, which is one value and is read whole.
    """
    file = Path(path).expanduser()
    return {"json": read_json, "table": _read_table, "parquet": _read_parquet}[read_kind(file)](file, on_bad)


def kind_by_name(path: Path) -> str | None:
    """The kind of a file by the ending of its name; None where that is no known one."""
    return KINDS.get((Path(path.stem) if path.suffix in ENDINGS else path).suffix.lower())


def read_kind(path: Path) -> str:
    """The kind of a file by the ending of its name, or else by its content."""
    named = kind_by_name(path)
    if named:
        return named
    with open_bytes(path) as (file, _):
        if file.read(4) == b"PAR1":
            return "parquet"
    first = next((line for _, line in read_lines(path) if line.strip()), "").strip()
    if first.startswith(("{", "[")):
        return "json"
    if "\t" in first or re.fullmatch(r'("?[\w.-]+"?[,;])+"?[\w.-]+"?', first):
        return "table"
    raise InputError(
        f"{path}: the content is not recognised; give JSON lines, a JSON array, CSV or TSV with a header line, "
        "or Parquet, or a document: .md, .txt, .html, .pdf or .docx."
    )


def _read_table(path: Path, on_bad: OnBad) -> Iterator[Record]:
    """Every row; the header line says what divides the fields: tabs, or else commas or semicolons."""
    number = 0

    def lines() -> Iterator[str]:
        nonlocal number
        for number, line in read_lines(path, on_bad):  # noqa: B007 - errors name it
            yield line

    header_line = next((line for _, line in read_lines(path, refuse) if line.strip("\r\n")), "")
    # Strict, so that a stray quote is an error rather than a field that swallows the lines after it.
    delimiter = "\t" if "\t" in header_line else max(",;", key=header_line.count)
    rows = csv.reader(lines(), delimiter=delimiter, strict=True)
    header: list[str] = []
    while True:
        lines_before = rows.line_num
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            failure = DamagedFileError(
                f"{path}, line {number}: {error}; put a field that holds quotes, line breaks or the sign between "
                'fields in quotes, and double the quotes inside ("").'
            )
            if rows.line_num > lines_before + 1 or not header:
                raise failure from error  # what the quote has swallowed are records too, and not one bad one
            on_bad(failure)
            continue
        where = f"{path}, line {number}"
        if not row:
            continue
        if not header:
            header = _header(row, where)
        elif len(row) == len(header):
            yield Record(dict(zip(header, row, strict=True)), where)
        else:
            names = ", ".join(header)
            on_bad(DamagedFileError(f"{where}: {len(row)} fields, but the header names {len(header)}: {names}."))


def _header(row: list[str], where: str) -> list[str]:
    header = [name.strip() for name in row]
    twice = [name for name, count in Counter(header).items() if count > 1 and name]
    if twice:
        raise InputError(f"{where}: the header names '{twice[0]}' twice; give each field a name of its own.")
    return header


def _read_parquet(path: Path, on_bad: OnBad) -> Iterator[Record]:
    import pyarrow
    import pyarrow.parquet

    row = total = 0
    try:
        with open_bytes(path) as (content, _), pyarrow.parquet.ParquetFile(content) as file:
            size, groups = os.path.getsize(path), file.metadata.num_row_groups
            check_density(path, sum(file.metadata.row_group(each).total_byte_size for each in range(groups)), size)
            for batch in file.iter_batches(batch_size=64):
                records = batch.to_pylist()
                # Where a column names its values by number, its own bytes say nothing of their length.
                texts = (text for fields in records for text in fields.values() if isinstance(text, str))
                total += batch.nbytes + sum(map(len, texts))
                check_density(path, total, size)
                for fields in records:
                    row += 1
                    yield Record(fields, f"{path}, row {row}")
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DamagedFileError(f"{path}: not a whole Parquet file, or damaged after row {row} ({reason}).") from error


def read_json(path: Path, on_bad: OnBad) -> Iterator[Record]:
    """Every record; memory holds one line at a time, or all of a file that is one JSON value."""
    # Errors in these lines are raised when they are read as records.
    head = list(islice(_filled_lines(path, lambda error: None), 2))
    start = head[0][1].lstrip() if head else ""
    if start.startswith("["):
        text = _text(path)
        try:
            items = list(ujson.loads(text))
        except ValueError as error:
            raise DamagedFileError(f"{path}: not a whole JSON array ({_explain(text, error)}).") from error
        if all(isinstance(item, str) for item in items):  # a corpus may be an array of texts
            items = [{"text": item} for item in items]
        yield from _objects(((f"{path}, item {place}", item) for place, item in enumerate(items, 1)), on_bad)
        return
    value = _one_object(path, start, alone=len(head) == 1) if start.startswith("{") else None
    if value is None:
        lines = ((f"{path}, line {number}", line) for number, line in _filled_lines(path, on_bad))
        yield from _objects(lines, on_bad, written=True)
    elif name := _wrapper(value):
        placed = enumerate(value[name], 1)
        yield from _objects(((f"{path}, item {place} of '{name}'", item) for place, item in placed), on_bad)
    elif _holds_passages(value):
        for key, held in value.items():
            fields = held if isinstance(held, dict) else {"title": key, "text": held}
            yield Record({**fields, "id": key}, f"{path}, '{key}'")
    else:
        yield Record(value, f"{path}, line {head[0][0]}")


def _filled_lines(path: Path, on_bad: OnBad) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in read_lines(path, on_bad) if line.strip())


def _objects(values: Iterable[tuple[str, Any]], on_bad: OnBad, *, written: bool = False) -> Iterator[Record]:
    """The records of values, each with its place, or of what is `written` as JSON."""
    for where, value in values:
        try:
            fields = ujson.loads(value) if written else value
        except ValueError as error:
            reason = _explain(value, error)
            on_bad(DamagedFileError(f"{where}: not JSON ({reason}); each line must be one whole JSON object."))
            continue
        if isinstance(fields, dict):
            yield Record(fields, where)
        else:
            on_bad(InputError(f'{where}: must be a JSON object with named fields, such as {{"id": ...}}.'))


def _one_object(path: Path, first: str, *, alone: bool) -> dict[str, Any] | None:
    """The object that is all of the file, if it wraps or holds records or is on several lines."""
    try:
        value = ujson.loads(first)
        return value if alone and (_wrapper(value) or _holds_passages(value)) else None
    except ValueError:
        pass
    if LINES & set(path.suffixes[-2:]):
        return None
    try:
        value = ujson.loads(_text(path))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _wrapper(value: dict[str, Any]) -> str | None:
    """The field with the records, if there can be no doubt: the only list, under a usual name, in no record itself."""
    if value.keys() & _OF_RECORDS:
        return None
    lists = [name for name, held in value.items() if isinstance(held, list)]
    return lists[0] if len(lists) == 1 and lists[0] in WRAPPERS else None


def _holds_passages(value: dict[str, Any]) -> bool:
    """True if it is a corpus: passages by their ids, or the sentences of each by its title."""
    if not value or value.keys() & _OF_RECORDS:
        return False
    objects = all(isinstance(held, dict) and held.keys() & _TEXTS for held in value.values())
    return objects or all(
        isinstance(held, list) and held and all(isinstance(sentence, str) for sentence in held)
        for held in value.values()
    )


def _text(path: Path) -> str:
    return "".join(line for _, line in read_lines(path, refuse))


def _explain(text: str, error: ValueError) -> str:
    """The error in the JSON and its place: ujson is fast, but only the standard library gives the place."""
    try:
        json.loads(text)
    except json.JSONDecodeError as located:
        place = f"line {located.lineno}, column {located.colno}" if located.lineno > 1 else f"column {located.colno}"
        return f"{place}: {located.msg}"
    except RecursionError:
        pass
    return str(error)


def read_lines(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[tuple[int, str]]:
    """Each line with its number, counted from 1; memory holds one. `on_bad` is told of a line that is not UTF-8."""
    number = 0
    with open_bytes(path) as (file, content):
        try:
            for number, line in enumerate(_bounded(file, content, path), start=1):
                try:
                    text = _decode(line, path, number)
                except InputError as error:
                    on_bad(error)
                else:
                    yield number, text
        except (EOFError, zlib.error, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the data's
                raise
            packing = "gzip" if isinstance(content, gzip.GzipFile) else "bzip2"
            raise DamagedFileError(
                f"{path}: the {packing} data breaks off or is damaged after line {number} ({error}); get the file "
                "again."
            ) from error


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file, and its bytes, unpacked where the content is gzip or bzip2."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give one of the files in it.")
    try:
        file = open_ordinary(target)
    except FileNotFoundError as error:
        raise InputError(f"{target} does not exist.") from error
    except OSError as error:
        raise InputError(f"cannot read {target}: {error.strerror}.") from error
    with file:
        begin = file.read(max(map(len, PACKINGS)))
        file.seek(0)
        packing = next((name for magic, name in PACKINGS.items() if begin.startswith(magic)), None)
        if (named := ENDINGS.get(target.suffix)) not in (None, packing):
            message = f"{target} is named {target.suffix}, but its content is not {named}; rename or compress it."
            raise DamagedFileError(message)
        if packing is None:
            yield file, file
        else:
            yield file, cast(IO[bytes], gzip.GzipFile(fileobj=file) if packing == "gzip" else bz2.BZ2File(file))


def _bounded(file: IO[bytes], content: IO[bytes], path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines, none of them endless, and no more of them than what was read of the file can hold of a text."""
    pieces: list[bytes] = []
    total = length = 0
    most = _UNNOTICED
    while piece := content.readline(_PIECE):
        total, length = total + len(piece), length + len(piece)
        if total > most:
            most = check_density(path, total, file.tell())
        if length > LONGEST_LINE:
            raise DamagedFileError(f"{path} has a line of more than {LONGEST_LINE:,} bytes; it is no file of records.")
        if not piece.endswith(b"\n"):
            pieces.append(piece)
            continue
        yield b"".join((*pieces, piece)) if pieces else piece
        pieces, length = [], 0
    if pieces:
        yield b"".join(pieces)


def check_density(path: str | os.PathLike[str], unpacked: int, packed: int) -> int:
    """The most bytes that so many packed ones hold of a text; more than that are refused."""
    most = max(_UNNOTICED, _DENSEST * packed)
    if unpacked > most:
        raise DamagedFileError(
            f"{path} unzips to more than {_DENSEST} times its size, which no text does; get the file again."
        )
    return most


def _decode(line: bytes, path: str | os.PathLike[str], number: int) -> str:
    try:
        # A byte order mark may open the file; anywhere else it is an ordinary character.
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{path}, line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8 text."
        ) from error
