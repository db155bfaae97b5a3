"""The curves of a study: one measure of its rows over another, such as F1 over tokens, a plot for each question set."""

import os
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ...base import DamagedFileError, InputError, read_small
from ...experiments.experiment import Measure
from ...experiments.figures import head, is_share
from ...experiments.study_page import by_set, label_of, show_figure
from ...experiments.study_table import RECORD, StudyCell, StudyRow, StudyTable
from .plot import ACROSS, DASHES, DOWN, SIGNS, Plot, PlotMark, place_marks
from .plotting import SIMULATED_NOTE, Plotted
from .scales import Scale, cost_scale, round_steps, share_scale

CURVE = "curve"
FEW = 4
"""Curves of at most so many points have a name at each; longer ones at the last alone."""


class CurvePoint(NamedTuple):
    """A row, as a point of a curve."""

    curve: str
    """The name of the curve: the row's, up to a comma."""
    name: str
    """The row's name."""
    x: float
    """Its number below."""
    y: float
    """Its number at the left."""
    low: float
    """The lower end of the interval of y; y again where there is none."""
    high: float
    """The upper end."""


def plot_study(folder: str | os.PathLike[str]) -> dict[str, Plotted]:
    """The curves of the study in a folder, a plot for each question set, by its title.

    Raises:
        InputError: The folder holds no study, or one without a curve or without a finished row.
        DamagedFileError: Its table.json cannot be read.
    """
    path = Path(folder) / RECORD
    if not path.is_file():
        raise InputError(f"{folder} is no study: a curve is drawn of a folder that `multihop reproduce` wrote.")
    try:
        table: StudyTable = ujson.loads(read_small(path).decode("utf-8"))
        curve, plots = table.get("curve", []), study_curves(table)
        values: dict[str, list[dict[str, Any]]] = {
            name: [{"set": name, **point._asdict()} for point in curve_points(rows, curve)]
            for name, rows in by_set(table)
        }
    except (ValueError, KeyError, TypeError) as error:
        again = "the same `multihop reproduce` writes it again"
        raise DamagedFileError(f"{path} is damaged ({error!r}); {again}.") from None
    if not curve:
        raise InputError(f"{table['experiment']} makes no curve; draw its runs by a setting, or as a frontier.")
    if not plots:
        raise InputError(f"{folder} has no finished row to draw.")
    return {name: Plotted(plot, values[name]) for name, plot in plots.items()}


def study_curves(table: StudyTable) -> dict[str, Plot]:
    """A plot for each question set, by its title; none where the study has no curve, or no row of it is begun."""
    points = {name: curve_points(rows, table.get("curve", [])) for name, rows in by_set(table)}
    note = SIMULATED_NOTE if table["simulated"] else ""
    return {name: _plot(found, table.get("curve", []), name, note) for name, found in points.items() if found}


def curve_points(rows: Sequence[StudyRow], curve: Sequence[str]) -> list[CurvePoint]:
    """The rows of one question set as points, curve by curve and from the left to the right."""
    if not curve:
        return []
    points = []
    for row in rows:
        x, y = (_cell(row, metric) for metric in curve)
        if x is None or y is None or x["ours"] is None or y["ours"] is None:
            continue
        low, high = (y["ours"] if end is None else end for end in (y["low"], y["high"]))
        name, of_lm = row["row"], label_of(row)[len(row["row"]) :]
        curve_name = f"{name.partition(',')[0]}{of_lm}"
        points.append(CurvePoint(curve_name, name, x["ours"], y["ours"], low, high))
    order = list(dict.fromkeys(point.curve for point in points))
    return sorted(points, key=lambda point: (order.index(point.curve), point.x))


def _cell(row: StudyRow, metric: str) -> StudyCell | None:
    return next((cell for cell in row["cells"] if cell["metric"] == metric), None)


def _plot(points: Sequence[CurvePoint], curve: Sequence[str], title: str, note: str) -> Plot:
    x_title, y_title = (_title(metric) for metric in curve)
    marks, lines = list[PlotMark](), []
    looks = cycle(zip(SIGNS, DASHES, (True, False, True, False), strict=True))
    for name, (sign, dash, filled) in zip(dict.fromkeys(point.curve for point in points), looks, strict=False):
        of_curve = [point for point in points if point.curve == name]
        lines.append((range(len(marks), len(marks) + len(of_curve)), dash))
        labels = list(_labels(of_curve))
        for point, label in zip(of_curve, labels, strict=True):
            said = f"{point.name}: {y_title} {show_figure(point.y)}, {x_title} {show_figure(point.x)}"
            marks.append(PlotMark(label, point.x, point.y, point.low, point.high, title=said, sign=sign, filled=filled))
    lowest, highest = min(point.low for point in points), max(point.high for point in points)
    up = share_scale(lowest, highest, *DOWN) if is_share(curve[1]) else Scale(round_steps(lowest, highest), *DOWN)
    return place_marks(
        marks,
        lines,
        x=cost_scale([point.x for point in points], *ACROSS),
        y=up,
        title=f"{y_title} over {x_title}, {title}",
        x_title=x_title,
        y_title=f"{y_title}, in percent" if is_share(curve[1]) else y_title,
        note=note,
    )


def _labels(points: Sequence[CurvePoint]) -> Iterator[str]:
    """The names beside a curve's points: the last has the curve's, the others what they add to it, if they are few."""
    for point in points:
        rest = point.name.partition(", ")[2]
        if point is points[-1]:
            yield ", ".join(filter(None, [point.curve, rest])) if len(points) <= FEW else point.curve
        else:
            yield rest if len(points) <= FEW else ""


def _title(metric: str) -> str:
    return head(Measure(metric))
