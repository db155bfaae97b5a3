"""A score by a setting that differs between the runs: k, depth, iterations, or how many demonstrations are shown."""

import copy
from collections.abc import Sequence
from itertools import cycle
from typing import Any, NamedTuple

from ...base import InputError, unknown
from ...evaluation.comparison.run_names import names_by_differences
from ...evaluation.journal.header import Header
from ...evaluation.report.report import show_n
from .plot import ACROSS, DASHES, DOWN, SIGNS, Plot, PlotMark, place_marks
from .plotted_runs import PlottedRun, measure_together
from .scales import share_scale, value_scale

SHOTS = "shots"
"""Demonstrations, as a setting: the most that a step shows."""
ASIDE = 5.0
"""The distance between the marks of several series that have the same value."""


class SeriesPoint(NamedTuple):
    """The runs of a series with one value of the setting."""

    series: str
    """The name of all that the runs share."""
    value: Any
    """The setting's value."""
    mean: float
    """The score, in percent."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""
    folders: tuple[str, ...]
    """The folders of the runs."""
    n: int = 0
    """The answers that went into the mean."""
    asked: int = 0
    """The questions that were asked, each as often as it was."""


def points_by_setting(runs: Sequence[PlottedRun], setting: str, metric: str) -> list[SeriesPoint]:
    """The score of each series for each value, series by series, the lowest value first.

    Runs that differ in nothing but the setting are a series; of those that share its value too, repeats of each other,
    the score is that of all together.

    Raises:
        InputError: A run has no such setting, or it is the same in all of them.
    """
    values = [_value(run.header, setting) for run in runs]
    if len({str(value) for value in values}) < 2:
        raise InputError(f"all runs have {setting}={_text(values[0])}, so there is no score by {setting} to draw.")
    named = names_by_differences([_without(run.header, setting) for run in runs])
    series = [run.name or name for run, name in zip(runs, named, strict=True)]
    grouped: dict[tuple[str, str], list[int]] = {}
    for place, (name, value) in enumerate(zip(series, values, strict=True)):
        grouped.setdefault((name, str(value)), []).append(place)
    found = []
    for (name, _), places in grouped.items():
        measured = measure_together([runs[place] for place in places], metric)
        mean, low, high = (100 * share for share in (measured["mean"], measured["low"], measured["high"]))
        folders = tuple(str(folder) for place in places for folder in runs[place].folders)
        counted = [runs[place].counted(metric) for place in places]
        n, asked = sum(n for n, _ in counted), sum(asked for _, asked in counted)
        found.append(SeriesPoint(name, values[places[0]], mean, low, high, folders, n, asked))
    order = list(dict.fromkeys(series))
    numeric = all(isinstance(each.value, int | float) for each in found)
    return sorted(found, key=lambda each: (order.index(each.series), each.value if numeric else 0))


def plot_by_setting(points: Sequence[SeriesPoint], setting: str, metric: str, *, note: str) -> Plot:
    """The score over the setting, a line for each series, told apart by signs and strokes as well as by name."""
    values = list(dict.fromkeys(point.value if _is_number(point.value) else _text(point.value) for point in points))
    numeric = all(map(_is_number, values))
    x = value_scale([float(value) if numeric else float(place) for place, value in enumerate(values)], *ACROSS)
    marks, lines = list[PlotMark](), []
    looks = cycle(zip(SIGNS, DASHES, (True, False, True, False), strict=True))
    names = list(dict.fromkeys(point.series for point in points))
    for name, (sign, dash, filled) in zip(names, looks, strict=False):
        of_series = [point for point in points if point.series == name]
        lines.append((range(len(marks), len(marks) + len(of_series)), dash))
        for point in of_series:
            marks.append(
                PlotMark(
                    name if point is of_series[-1] else "",
                    float(point.value) if numeric else float(values.index(_text(point.value))),
                    point.mean,
                    point.low,
                    point.high,
                    title=f"{name}, {setting}={_text(point.value)}: {metric} {point.mean:.1f} "
                    f"({point.low:.1f} – {point.high:.1f}){show_n(point.n, point.asked)}",
                    sign=sign,
                    filled=filled,
                    aside=ASIDE * (names.index(name) - (len(names) - 1) / 2),
                    n_note=show_n(point.n, point.asked),
                )
            )
    return place_marks(
        marks,
        lines,
        x=x,
        y=share_scale(min(point.low for point in points), max(point.high for point in points), *DOWN),
        title=f"{metric} by {setting}",
        x_title=setting if setting != SHOTS else "demonstrations",
        y_title=f"{metric}, in percent",
        x_texts=None if numeric else [str(value) for value in values],
        note=note,
    )


def _value(header: Header, setting: str) -> Any:
    program = header["identity"]["program"]
    if setting == SHOTS:
        return max((len(prompt.get("demos", ())) for prompt in program.get("prompts", {}).values()), default=0)
    settings = program.get("settings", {})
    if setting not in settings:
        raise unknown(f"setting of {program['name']}", setting, [*settings, SHOTS])
    return settings[setting]


def _without(header: Header, setting: str) -> Header:
    """The header as if the run had no such setting, so that its name says what else sets it apart."""
    bare = copy.deepcopy(header)
    program = bare["identity"]["program"]
    program["settings"].pop(setting, None)
    if setting == SHOTS:
        for prompt in program.get("prompts", {}).values():
            prompt["demos"] = []
    return bare


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
