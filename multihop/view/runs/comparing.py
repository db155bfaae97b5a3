"""Runs side by side as plain values: paired differences, the questions that flipped, what quality costs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from ...base.texts import say_count
from ...base.texts import per_minute
from ...evaluation.comparison import Comparison, compare
from ...evaluation.comparison_table import comparison_notes
from ...evaluation.comparison import Difference
from ...evaluation.comparison import run_names
from ...evaluation.header import Header
from ...evaluation.journal import read_header
from ...evaluation.report import program_name, show_n, show_number, unit_of
from ...evaluation.report import show_time
from ...runtime import show_usd
from .prompt_changes import StepChange, describe_changes


class DifferenceLine(TypedDict):
    """One metric in two runs."""

    name: str
    """The metric, with its n where that is not all questions in common."""
    a: str
    """The first run's mean."""
    b: str
    """The second run's mean."""
    change: str
    """The second's less the first's, with its sign."""
    interval: str
    """The 95 % interval of the paired difference."""
    p_value: str
    """The p-value: the probability of such a difference by chance alone; empty for what is no measure of quality."""
    sure: bool
    """True if the interval leaves out 0."""
    place: NotRequired[tuple[float, float, float]]
    """The places of low, mean and high, from 0 to 100 with no difference at 50; missing where it is no share."""


class ComparedPair(TypedDict):
    """A run beside the first one."""

    a: int
    """The first run's place among the runs."""
    b: int
    """The other's."""
    n: int
    """Questions that both answered."""
    widest: float
    """The points that the drawn scale goes to either side."""
    lines: list[DifferenceLine]
    """The metrics."""
    notes: list[str]
    """Further warnings, a sentence each."""
    cost: list[tuple[str, str, str]]
    """A name, the first run's value and the other's: the cost of a question, and the time that the runs took."""
    changes: list[StepChange]
    """The changes in its prompts."""
    gained: list[str]
    """The ids of the questions that the other has right and the first wrong."""
    lost: list[str]
    """The ids of those that it has wrong and the first right."""


def describe_pair(
    folders: Sequence[str | os.PathLike[str]], b: int, names: Sequence[str], *, different_data: bool = False
) -> ComparedPair:
    """The run at a place beside the first one.

    Raises:
        InputError: They cannot be compared; see `compare`.
    """
    found = compare(folders[0], folders[b], different_data=different_data)
    lines, widest = describe_lines(found)
    notes = [
        f"{say_count(count, 'question')} only {names[place]} answered."
        for place, count in ((0, found.only[0]), (b, found.only[1]))
        if count
    ]
    notes += [
        f"{names[place]} failed on {say_count(count, 'question')}."
        for place, count in ((0, found.errors[0]), (b, found.errors[1]))
        if count
    ]
    gaps = [note for place, which in ((0, 0), (b, 1)) for note in comparison_notes(names[place], found, which)]
    notes += [f"{note}." for note in gaps]
    notes += [f"Left out, measured by other rules: {', '.join(found.unlike)}."] if found.unlike else []
    return {
        "a": 0,
        "b": b,
        "n": found.n,
        "widest": widest,
        "lines": lines,
        "notes": notes,
        "cost": describe_costs(found),
        "changes": describe_changes(*(read_header(folders[place]) for place in (0, b))),
        "gained": list(found.gained),
        "lost": list(found.lost),
    }


def describe_lines(found: Comparison) -> tuple[list[DifferenceLine], float]:
    """The metrics of a comparison, and how far the drawn scale goes to either side, in points."""
    shares = [each.change for name, each in found.metrics.items() if unit_of(name)[0] == 100]
    widest = _round_up(max((abs(100 * end) for each in shares for end in (each.low, each.high)), default=0.0))
    return [_line(name, difference, widest, found.n) for name, difference in found.metrics.items()], widest


def describe_costs(found: Comparison) -> list[tuple[str, str, str]]:
    """The cost of a question in either run, and the time that the runs took."""
    names = {"usd": "dollars", "seconds": "seconds"}
    costs = [
        (names.get(what, what), _amount(what, a), _amount(what, b))
        for what, (a, b) in found.cost.items()
        if what != "usd" or (a, b) != (0, 0)
    ]
    if all(timing["per_minute"] is None for timing in found.timing):
        return costs
    times = [show_time(timing["run_seconds"]) for timing in found.timing]
    rates = ["–" if (rate := timing["per_minute"]) is None else per_minute(rate / 60) for timing in found.timing]
    return [*costs, ("run time", times[0], times[1]), ("questions a minute", rates[0], rates[1])]


def _line(name: str, difference: Difference, widest: float, asked: int) -> DifferenceLine:
    change, (scale, digits) = difference.change, unit_of(name)
    low, mean, high = (scale * each for each in (change.low, change.mean, change.high))
    line: DifferenceLine = {
        "name": f"{name}{show_n(change.n, asked)}",
        "a": show_number(name, difference.a),
        "b": show_number(name, difference.b),
        "change": _signed(mean, digits),
        "interval": f"{_signed(low, digits)} to {_signed(high, digits)}",
        "p_value": ""
        if difference.p_value is None
        else "< 0.001"
        if difference.p_value < 0.001
        else f"{difference.p_value:.3f}",
        "sure": low > 0 or high < 0,
    }
    if scale == 100:
        line["place"] = (_place(low, widest), _place(mean, widest), _place(high, widest))
    return line


def _place(points: float, widest: float) -> float:
    return round(50 + 50 * points / widest, 2)


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else f"{0:.{digits}f}"


def _round_up(points: float) -> float:
    """The next of 5, 10, 20, 30, 50, 75 and 100 points."""
    return next((end for end in (5.0, 10.0, 20.0, 30.0, 50.0, 75.0) if points <= end), 100.0)


def _amount(what: str, value: float | None) -> str:
    if what == "usd":
        return show_usd(value)
    if value is None:
        return "–"
    return f"{value:,.0f}" if what == "tokens" else f"{value:,.2f}"
