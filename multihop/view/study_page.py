"""A reproduced table beside the published one, as plain values: each figure with the two of them on one scale."""

import os
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import ujson

from ..base import DamagedFileError, read_small
from ..experiments.study_page import TEST_HEADS, TEST_NOTE, by_set, caveat_line, label_of, paired_line, row_lines
from ..experiments.study_table import RECORD, StudyCell, StudyRow, StudyTable
from .plots.curve import study_curves
from .plots.plot import Plot
from .plots.plotting import SIMULATED_NOTE
from .plots.study_planes import interval_of, study_planes


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
    curve: NotRequired[Plot]
    """The curves that the rows make; missing where they make none."""
    planes: list[Plot]
    """The rows' quality against calls, tokens and seconds; none where fewer than two were run."""


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


def describe_study(folder: str | os.PathLike[str]) -> StudyPage:
    """The study's table.

    Raises:
        InputError: Its table.json is no ordinary file.
        DamagedFileError: It cannot be read.
    """
    path = Path(folder) / RECORD
    content = read_small(path)
    try:
        table: StudyTable = ujson.loads(content.decode("utf-8"))
        curves = study_curves(table)
        asked = [row for row in table["rows"] if row["n"] and row["folder"]]
        return {
            "title": table["title"],
            "place": f"{table['paper']}, {table['place']}",
            "warning": caveat_line(table),
            "sets": [_set_table(table, name, rows, curves.get(name), path.parent) for name, rows in by_set(table)],
            "differs": table["differs"],
            "folders": list(dict.fromkeys((label_of(row), row["folder"]) for row in asked)),
            "cases": table.get("cases", False),
            "test_heads": TEST_HEADS,
            "test_note": TEST_NOTE,
        }
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(
            f"{path} is damaged ({error!r}); the same `multihop reproduce` writes it again."
        ) from None


def _set_table(table: StudyTable, name: str, rows: list[StudyRow], curve: Plot | None, folder: Path) -> SetTable:
    found: SetTable = {
        "name": name,
        "lines": [
            _figure(cells, cell) for row in rows for cells, cell in zip(row_lines(row), row["cells"], strict=True)
        ],
        "notes": list(dict.fromkeys(f"{row['row']}: {row['note']}." for row in rows if row["note"])),
        "planes": study_planes(rows, folder, SIMULATED_NOTE if table["simulated"] else ""),
        "tests": [paired_line(test) for test in table.get("tests", []) if name in test["sets"]],
    }
    if curve is not None:
        found["curve"] = curve
    return found


def _figure(cells: list[str], cell: StudyCell) -> FigureLine:
    line: FigureLine = {"cells": cells}
    if _is_share(cell["published"]):
        line["published"] = float(cell["published"] or 0.0)
    if (ours := interval_of(cell)) is not None:
        line["ours"] = ours
    return line


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 100
