"""Two runs side by side as plain values: paired differences, questions that flipped, costs, and changed prompts."""

import os
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NotRequired, TypedDict

from ..base.texts import per_minute, say_count
from ..evaluation.comparison import Comparison, Difference, compare
from ..evaluation.comparison_table import comparison_notes
from ..evaluation.header import Header, PromptIdentity
from ..evaluation.journal import read_header
from ..evaluation.report import show_n, show_number, show_time, unit_of
from ..evaluation.statistics import excludes_zero
from ..runtime import show_usd

TextPart = tuple[Literal["same", "added", "removed"], str]
"""A piece of a text that both have, or that only the second or only the first has."""
NO_PROMPT: PromptIdentity = {"instructions": "", "fields": {}, "demos": []}


class DifferenceLine(TypedDict):
    """One metric in two runs."""

    name: str
    """The metric, with its n where that is not all questions in common."""
    a: str
    """The first run's mean."""
    b: str
    change: str
    interval: str
    p_value: str
    """The p-value: the probability of such a difference by chance alone; empty for what is no measure of quality."""
    sure: bool
    """True if the interval leaves out 0."""
    place: NotRequired[tuple[float, float, float]]
    """The places of low, mean and high, from 0 to 100 with no difference at 50; missing where it is no share."""


class StepChange(TypedDict):
    """The changes in the prompt of one step."""

    step: str
    instructions: list[TextPart]
    """The instructions, piece by piece; empty where they are the same."""
    instructions_before: str
    """The first run's instructions, whole."""
    instructions_after: str
    """The second run's instructions, whole."""
    kept: int
    """Demonstrations that both show."""
    added: list[list[tuple[str, str]]]
    """Demonstrations that only the second run shows, field by field."""
    removed: list[list[tuple[str, str]]]
    """Demonstrations that only the first run shows."""


class ComparedPair(TypedDict):
    """A run beside the first one."""

    b: int
    """The other's place among the runs; the first one's is 0."""
    n: int
    """Questions that both answered."""
    widest: float
    """The points that the drawn scale goes to either side."""
    lines: list[DifferenceLine]
    notes: list[str]
    cost: list[tuple[str, str, str]]
    """A name, the first run's value and the other's: the cost of a question, and the time that the runs took."""
    changes: list[StepChange]
    gained: list[str]
    """The ids of the questions that the other has right and the first wrong."""
    lost: list[str]
    """The ids of those that it has wrong and the first right."""


def describe_pair(
    folders: Sequence[str | os.PathLike[str]], b: int, names: Sequence[str], *, different_data: bool = False
) -> ComparedPair:
    """The run at a place beside the first one."""
    found = compare(folders[0], folders[b], different_data=different_data)
    lines, widest = describe_lines(found)
    sides = names[0], names[b]
    only, errors = (
        [say_count(count, "question") if count else "" for count in each] for each in (found.only, found.errors)
    )
    notes = [f"{count} only {name} answered." for name, count in zip(sides, only, strict=True) if count]
    notes += [f"{name} failed on {count}." for name, count in zip(sides, errors, strict=True) if count]
    notes += [f"{note}." for which, name in enumerate(sides) for note in comparison_notes(name, found, which)]
    notes += [f"Left out, measured by other rules: {', '.join(found.unlike)}."] if found.unlike else []
    return {
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
    widest = _round_up(max((abs(100 * end) for each in shares for end in each[:3] if end is not None), default=0.0))
    return [_line(name, difference, widest, found.n) for name, difference in found.metrics.items()], widest


def describe_costs(found: Comparison) -> list[tuple[str, str, str]]:
    """The cost of a question in either run, and the time that the runs took."""
    names = {"usd": "dollars", "seconds": "seconds, mean"}
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
    change, (scale, digits), p_value = difference.change, unit_of(name), difference.p_value
    mean, *ends = (scale * each for each in change[:3] if each is not None)
    line: DifferenceLine = {
        "name": f"{name}{show_n(change.n, asked)}",
        "a": show_number(name, difference.a),
        "b": show_number(name, difference.b),
        "change": _signed(mean, digits),
        "interval": " to ".join(_signed(end, digits) for end in ends) or "–",
        "p_value": "" if p_value is None else "< 0.001" if p_value < 0.001 else f"{p_value:.3f}",
        "sure": excludes_zero(change),
    }
    if scale == 100 and ends:
        low, middle, high = (round(50 + 50 * points / widest, 2) for points in (ends[0], mean, ends[1]))
        line["place"] = (low, middle, high)
    return line


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


def describe_changes(a: Header, b: Header) -> list[StepChange]:
    """The steps whose instructions or demonstrations differ; none where the programs are two different ones."""
    first, second = (header["identity"].get("program", {}) for header in (a, b))
    if first.get("name") != second.get("name"):
        return []
    before, after = first.get("prompts", {}), second.get("prompts", {})
    found = [_change(step, before.get(step, NO_PROMPT), after[step]) for step in after]
    return [each for each in found if each["instructions"] or each["added"] or each["removed"]]


def _change(step: str, before: PromptIdentity, after: PromptIdentity) -> StepChange:
    texts = before["instructions"], after["instructions"]
    return {
        "step": step,
        "instructions": list(compare_words(*texts)) if texts[0] != texts[1] else [],
        "instructions_before": texts[0],
        "instructions_after": texts[1],
        "kept": sum(demo in before["demos"] for demo in after["demos"]),
        "added": [list(demo.items()) for demo in after["demos"] if demo not in before["demos"]],
        "removed": [list(demo.items()) for demo in before["demos"] if demo not in after["demos"]],
    }


def compare_words(before: str, after: str) -> Iterator[TextPart]:
    """The two texts as one, with what was removed and added."""
    words: list[list[str]] = [re.findall(r"\s+|\S+", text) for text in (before, after)]
    for _, i, j, k, end in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        old, new = "".join(words[0][i:j]), "".join(words[1][k:end])
        if old == new:
            yield "same", old
            continue
        if old:
            yield "removed", old
        if new:
            yield "added", new
