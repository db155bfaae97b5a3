"""The records of a table in text: CSV or TSV with a header line and the quoting of spreadsheets."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...base import DamagedFileError, InputError
from ..skipped import OnBad, refuse
from .lines import read_lines
from .record import Record


def read_table(path: Path, on_bad: OnBad) -> Iterator[Record]:
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
    """The character that divides the fields of a header line.

    Examples:
        >>> from multihop.data.files.table_records import delimiter
        >>> delimiter("id;question;answer")
        ';'
    """
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
