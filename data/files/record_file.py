"""The records of a file: JSON, CSV, TSV or Parquet, streamed and with the place of each.

`datasets` reads such files too, but one bad line there fails the lines around it, so that none could be left out; its
import takes seconds, and 200 MB of JSON lines take it 290 MB of memory and three times as long as these readers, which
take 16 MB.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...base import DamagedFileError, InputError
from ..reading import OnBad, refuse
from .json_records import read_json
from .lines import ENDINGS, open_bytes, read_lines
from .record import Record

KINDS = {
    ".json": "json", ".jsonl": "json", ".ndjson": "json", ".csv": "table", ".tsv": "table", ".parquet": "parquet",
}  # fmt: skip
"""The kind of a file by the ending of its name; text may end in .gz or .bz2 besides."""


def read_records(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[Record]:
    """Every record of the file: JSON lines, a JSON array, an object that wraps one, CSV, TSV (also packed), Parquet.

    The name's ending says what the file is; where it does not, the content does. Memory holds one record at a time
    (Parquet: one batch), except for a JSON array, which is one value and is read whole.
    """
    file = Path(path).expanduser()
    return {"json": read_json, "table": _read_table, "parquet": _read_parquet}[_kind(file)](file, on_bad)


def kind_by_name(path: Path) -> str | None:
    """The kind of a file as its name tells it; None if it does not."""
    return KINDS.get((Path(path.stem) if path.suffix in ENDINGS else path).suffix.lower())


def _kind(path: Path) -> str:
    named = kind_by_name(path)
    if named:
        return named
    with open_bytes(path) as file:
        if file.read(4) == b"PAR1":
            return "parquet"
    first = next((line for _, line in read_lines(path) if line.strip()), "").strip()
    if first.startswith(("{", "[")):
        return "json"
    if "\t" in first or re.fullmatch(r'("?[\w.-]+"?[,;])+"?[\w.-]+"?', first):
        return "table"
    raise InputError(
        f"{path}: the content is not recognised; give JSON lines, a JSON array, CSV or TSV with a header line, "
        "or Parquet."
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
    rows = csv.reader(lines(), delimiter=delimiter(header_line), strict=True)
    header: list[str] = []
    while True:
        lines_before = rows.line_num
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            failure = _quoting(path, number, error)
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
            columns = f"{', '.join(header)}"
            on_bad(DamagedFileError(f"{where}: {len(row)} fields, but the header names {len(header)}: {columns}."))


def delimiter(header: str) -> str:
    """The character that divides the fields of a header line."""
    return "\t" if "\t" in header else max(",;", key=header.count)


def _header(row: list[str], where: str) -> list[str]:
    header = [name.strip() for name in row]
    twice = [name for name, count in Counter(header).items() if count > 1 and name]
    if twice:
        raise InputError(f"{where}: the header names '{twice[0]}' twice; give each field a name of its own.")
    return header


def _quoting(path: Path, line: int, error: csv.Error) -> InputError:
    return DamagedFileError(
        f"{path}, line {line}: {error}; put a field that holds quotes, line breaks or the sign between fields "
        'in quotes, and double the quotes inside ("").'
    )


def _read_parquet(path: Path, on_bad: OnBad) -> Iterator[Record]:
    import pyarrow
    import pyarrow.parquet

    open_bytes(path).close()
    row = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1024):
                for fields in batch.to_pylist():
                    row += 1
                    yield Record(fields, f"{path}, row {row}")
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DamagedFileError(f"{path}: not a whole Parquet file, or damaged after row {row} ({reason}).") from error
