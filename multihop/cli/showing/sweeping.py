"""A sweep in a terminal: its price, its table, and where its files are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from ...base.plurals import say_count
from ...evaluation.report.report import SIMULATED
from ...evaluation.report.totals import total
from ...experiments.sweeping.sweep_page import (
    NOTE,
    chance_note,
    effect_line,
    row_cells,
    stopped_note,
    sweep_heads,
    sweep_title,
)
from .output import print_line
from .tables import print_table, show_count

if TYPE_CHECKING:
    from ...experiments.sweeping.sweep_table import SweepTable
    from ...experiments.sweeping.sweeping import PointPrice


def point_prices_in_short(prices: "Sequence[PointPrice]") -> list[dict[str, Any]]:
    """The price of each point as names, texts, numbers and None."""
    return [
        {
            "settings": each.point.settings,
            "default": each.point.is_default,
            "questions": each.questions,
            "finished": each.finished,
            "most_calls": each.most_calls,
        }
        for each in prices
    ]


def show_point_prices(prices: "Sequence[PointPrice]", console: Console) -> None:
    """Print what would be asked, point by point."""
    rows = [
        [escape(each.point.title), f"{each.questions:,}", f"{each.finished:,}", show_count(each.most_calls)]
        for each in prices
    ]
    print_table(["point", "asked", "finished", "LM calls at most"], rows, console)
    calls, questions = total(each.most_calls for each in prices), sum(each.questions for each in prices)
    console.print(
        f"nothing is asked: {say_count(len(prices), 'point')}, {say_count(questions, 'question')}, at most "
        f"{show_count(calls)} LM calls for what is missing",
        highlight=False,
    )


def show_sweep(table: "SweepTable", folder: Path, plots: Sequence[Path], console: Console) -> None:
    """Print the table, what each setting does, and the files."""
    if table["simulated"]:
        console.print(f"[bold yellow]{SIMULATED}[/]")
    console.print(sweep_title(table), style="bold", highlight=False, markup=False)
    rows = [[*map(escape, row_cells(table, row))] for row in table["rows"]]
    print_table([*map(escape, sweep_heads(table))], rows, console, left=len(table["swept"]))
    for effect in table["effects"]:
        console.print(Padding(escape(effect_line(effect)), (0, 0, 0, 2)), highlight=False)
    chance = chance_note(table)
    console.print(f"{NOTE}{'; ' if chance else ''}{chance}", style="dim", highlight=False, markup=False)
    if table["stopped"]:
        console.print(stopped_note(table), style="yellow", highlight=False)
    names = [f"{folder}/sweep.md", f"{folder}/sweep.json"]
    print_line(f"{' and '.join(names)} hold the table", console, style="dim")
    if plots:
        print_line(f"drawn in {', '.join(map(str, plots))}", console, style="dim")
