"""The change that demonstrations made: the score with its interval, the answers, and the paths found enough."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from ...base.plurals import say_count
from ...evaluation import compare
from ...evaluation.journal.journal import read_rows
from ...evaluation.journal.row import Row
from ...evaluation.report.report import show_n
from ...evaluation.report.statistics import Mean


def show_few_shot(before: Path, after: Path, console: Console) -> None:
    """A line on the paired difference of two runs of the same program, and one on what changed in between.

    Args:
        before: The run's folder without demonstrations.
        after: With them.
        console: Where they are printed.
    """
    compared = compare(before, after)
    change = compared.metrics["f1"].change
    console.print(
        f"{after.name} against {before.name}: F1 {100 * change.mean:+.1f} "
        f"[{100 * change.low:+.1f}, {100 * change.high:+.1f}]{show_n(change.n, compared.n)}, {verdict(change)}",
        highlight=False,
        markup=False,
    )
    first, second = ({row["id"]: row for row in read_rows(folder)} for folder in (before, after))
    answers = sum(first[name].get("answer") != second[name].get("answer") for name in first.keys() & second.keys())
    found = [f"{_sum(rows.values(), 'evidence')} of {_sum(rows.values(), 'reviews')}" for rows in (first, second)]
    console.print(
        f"what changed: paths found enough, of those reviewed: {found[0]} -> {found[1]}; "
        f"another answer to {answers} of {say_count(len(second), 'question')}",
        highlight=False,
        markup=False,
    )


def verdict(change: Mean) -> str:
    """The interval of a difference in words."""
    if change.low <= 0 <= change.high:
        return f"which is within the interval: no gain, no loss that {say_count(change.n, 'question')} could show"
    return "a gain beyond chance" if change.low > 0 else "a loss beyond chance"


def _sum(rows: Iterable[Row], name: str) -> int:
    return int(sum(row["counts"].get(name, 0) for row in rows))
