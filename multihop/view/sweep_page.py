"""A sweep as plain values for its page: the table, what each setting does, and the plots."""

import os
from pathlib import Path
from typing import TypedDict

import ujson

from ..base import DamagedFileError, read_small
from ..evaluation.report.report import SIMULATED
from ..experiments.sweeping.sweep_page import (
    NOTE,
    chance_note,
    effect_line,
    row_cells,
    stopped_note,
    sweep_heads,
    sweep_title,
)
from ..experiments.sweeping.sweep_table import RECORD, SweepTable
from .plots import Plot
from .plots.sweep_plots import sweep_plots


class SweepPage(TypedDict):
    """A sweep, ready to be drawn."""

    title: str
    """The sweep's title."""
    warnings: list[str]
    """The caveats to be read before any figure."""
    heads: list[str]
    """The heads of the table."""
    texts: int
    """The number of columns that say what a row is."""
    rows: list[list[str]]
    """The cells, row by row."""
    notes: list[str]
    """The meaning of the figures."""
    effects: list[str]
    """The effect of each setting, in a line."""
    plots: list[Plot]
    """F1 over each setting."""
    folders: list[str]
    """The folder of each run, from the sweep's."""


def describe_sweep(folder: str | os.PathLike[str]) -> SweepPage:
    """The sweep's table and its plots.

    Raises:
        InputError: Its sweep.json is no ordinary file, or a run is gone.
        DamagedFileError: It cannot be read.
    """
    path = Path(folder) / RECORD
    try:
        table: SweepTable = ujson.loads(read_small(path).decode("utf-8"))
        stopped, chance = [stopped_note(table)] if table["stopped"] else [], chance_note(table)
        return {
            "title": sweep_title(table),
            "warnings": [*([SIMULATED] if table["simulated"] else []), *stopped],
            "heads": sweep_heads(table),
            "texts": len(table["swept"]),
            "rows": [row_cells(table, row) for row in table["rows"]],
            "notes": [NOTE, *([chance] if chance else [])],
            "effects": [effect_line(each) for each in table["effects"]],
            "plots": [*sweep_plots(table, path.parent).values()],
            "folders": [row["folder"] for row in table["rows"]],
        }
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, DamagedFileError):
            raise
        raise DamagedFileError(f"{path} is damaged ({error!r}); the same `multihop sweep` writes it again.") from None
