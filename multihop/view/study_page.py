"""A reproduced table beside the published one, as plain values: each figure with the two of them on one scale."""

from typing import Any, NotRequired, TypedDict

from ..experiments.study_page import TEST_HEADS, TEST_NOTE, by_set, caveat_line, label_of, paired_line, row_lines
from ..experiments.study_table import StudyCell, StudyRow, StudyTable
from .folders import Folder, study_table


class FigureLine(TypedDict):
    """One figure of a row."""

    cells: list[str]
    """The row, the figure, published, ours, interval, difference, calls, tokens, paid, as the table has them."""
    published: NotRequired[float]
    """The place of the published figure, from 0 to 100; missing where there is none, or it is no share."""
    ours: NotRequired[tuple[float, float, float]]
    """The places of low, mean and high of ours; missing likewise."""


class SetTable(TypedDict):
    """The rows of one question set."""

    name: str
    """The set."""
    lines: list[FigureLine]
    """The figures, row by row."""
    notes: list[str]
    """The table's notes on single rows."""
    tests: list[list[str]]
    """The cells of each test of a row against another, as `StudyPage.test_heads` names them."""


class StudyPage(TypedDict):
    """A study, ready to be drawn."""

    title: str
    """The study's title."""
    place: str
    """The paper, and where in it."""
    warning: str
    """The differences between our figures and the published ones."""
    sets: list[SetTable]
    """The tables."""
    differs: list[str]
    """The differences between the runs and the paper."""
    folders: list[tuple[str, str]]
    """Each row that was run, with the folder of its run, from the study's."""
    cases: bool
    """True if a paper shows the searches for these questions, so that the page shows ours."""
    test_heads: tuple[str, ...]
    """The heads of the tests."""
    test_note: str
    """A sentence on how rows are tested."""


def describe_study(folder: Folder) -> StudyPage:
    """The study's table.

    Raises:
        InputError: Its table.json is no ordinary file.
        DamagedFileError: It cannot be read.
    """
    with study_table(folder) as table:
        asked = [row for row in table["rows"] if row["n"] and row["folder"]]
        return {
            "title": table["title"],
            "place": f"{table['paper']}, {table['place']}",
            "warning": caveat_line(table),
            "sets": [_set_table(table, name, rows) for name, rows in by_set(table)],
            "differs": table["differs"],
            "folders": list(dict.fromkeys((label_of(row), row["folder"]) for row in asked)),
            "cases": table.get("cases", False),
            "test_heads": TEST_HEADS,
            "test_note": TEST_NOTE,
        }


def _set_table(table: StudyTable, name: str, rows: list[StudyRow]) -> SetTable:
    return {
        "name": name,
        "lines": [
            _figure(cells, cell) for row in rows for cells, cell in zip(row_lines(row), row["cells"], strict=True)
        ],
        "notes": list(dict.fromkeys(f"{row['row']}: {row['note']}." for row in rows if row["note"])),
        "tests": [paired_line(test) for test in table.get("tests", []) if name in test["sets"]],
    }


def _figure(cells: list[str], cell: StudyCell) -> FigureLine:
    line: FigureLine = {"cells": cells}
    if _is_share(cell["published"]):
        line["published"] = float(cell["published"] or 0.0)
    if (ours := _interval_of(cell)) is not None:
        line["ours"] = ours
    return line


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 100


def _interval_of(cell: StudyCell) -> tuple[float, float, float] | None:
    """The low end, the figure itself and the high end; None where they are no shares in percent."""
    numbers = [float(number) for number in (cell["low"], cell["ours"], cell["high"]) if number is not None]
    if len(numbers) < 3 or not all(0 <= number <= 100 for number in numbers):
        return None
    return numbers[0], numbers[1], numbers[2]
