"""Plots of runs, drawn by matplotlib: quality over cost, a score by a setting, and the curve of a study."""

import copy
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from ..base import InputError, MismatchError, check_known, needing_extra, unknown, writing
from ..evaluation.comparison import names_by_differences, short_run_names
from ..evaluation.journal import read_header, read_rows
from ..evaluation.report import unit_of
from ..evaluation.summary import summarize
from ..experiments.rendered_table import by_set, label_of
from .figures import cost_a_question, shared_quality
from .folders import Folder, read_study, runs_in

FORMATS = (".svg", ".png", ".pdf")
LOOKS = [(sign, dash) for dash in ("-", "--", ":", "-.") for sign in "os^Dv"]  # told apart in black and white too


class Point(NamedTuple):
    """A mark of a plot, with the ends of the 95 % interval of y."""

    series: str
    x: Any
    y: float
    low: float
    high: float


class Plot(NamedTuple):
    """The titles of the axes, and the marks; those of one series are joined, and so are those of the frontier."""

    x_title: str
    y_title: str
    points: list[Point]
    frontier: Sequence[Point] = ()


def plot_runs(folders: Sequence[Folder], of: str = "frontier", *, metric: str = "", cost: str = "calls") -> Plot:
    """The quality of runs, by default F1, over "calls" or "tokens" a question, or by a setting that `of` names."""
    runs = runs_in(folders)
    headers = [read_header(run) for run in runs]
    if len({each["identity"].get("data", {}).get("fingerprint") for each in headers}) > 1:
        raise MismatchError("the runs were made on different questions, so their numbers cannot be compared.")
    summaries = [summarize(read_rows(run), header) for run, header in zip(runs, headers, strict=True)]
    metric = metric or shared_quality([summary["metrics"] for summary in summaries]) or "f1"
    if lacking := [run for run, each in zip(runs, summaries, strict=True) if metric not in each["metrics"]]:
        raise InputError(f"{lacking[0]} has no {metric}; choose another --metric.")
    names, places = short_run_names(headers, runs), list[Any](cost_a_question(each, cost) for each in summaries)
    if of != "frontier":
        bare = copy.deepcopy(headers)  # without the setting, equal names are one line
        settings = [header["identity"]["program"].get("settings", {}) for header in bare]
        if lacking_it := [each for each in settings if of not in each]:
            raise unknown("setting", of, ["frontier", *lacking_it[0]])
        found = [each.pop(of) for each in settings]
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)
        names, places = names_by_differences(bare), found if numbers else [str(value) for value in found]
    scale, points = unit_of(metric)[0], list[Point]()
    for name, x, summary in zip(names, places, summaries, strict=True):
        measured = summary["metrics"][metric]
        ends = (measured["mean"] if end is None else end for end in (measured["low"], measured["high"]))
        points.append(Point(name, x, *(scale * y for y in (measured["mean"], *ends))))
    points.sort(key=lambda point: (0, 0) if isinstance(point.x, str) else (point.x, -point.y))
    best = [each for place, each in enumerate(points) if all(each.y > other.y for other in points[:place])]
    y_title = f"{metric}, in percent" if scale == 100 else metric
    return Plot(f"{cost} a question", y_title, points, best) if of == "frontier" else Plot(of, y_title, points)


def plot_study(folder: Folder) -> dict[str, Plot]:
    """The curves of a study, such as F1 over tokens, for each of its question sets that has a finished row."""
    plots, table = {}, read_study(folder)
    for name, rows in by_set(table) if len(table.get("curve", ())) == 2 else ():
        points, (x, y) = list[Point](), table["curve"]
        for row in rows:
            cells = {cell["metric"]: cell for cell in row["cells"]}
            across, up = (cells[metric]["ours"] if metric in cells else None for metric in (x, y))
            if across is not None and up is not None:
                ends = (up if end is None else end for end in (cells[y]["low"], cells[y]["high"]))
                points.append(Point(label_of(row).partition(",")[0], across, up, *ends))
        if points:
            plots[name] = Plot(x, y, sorted(points, key=lambda point: point.x))
    if not plots:
        raise InputError(f"{folder} has no curve to draw: its table makes none, or none of its rows is finished.")
    return plots


def write_plot(plot: Plot, to: Folder) -> Path:
    """Draw the plot into a file that ends in .svg, .png or .pdf, and return its path."""
    path = Path(to).expanduser()
    check_known("ending of a picture's file", path.suffix, FORMATS)
    with needing_extra("a plot", "plot"):
        from matplotlib.figure import Figure
    axes = (figure := Figure(layout="constrained")).add_subplot(xlabel=plot.x_title, ylabel=plot.y_title)
    for series, (sign, dash) in zip(dict.fromkeys(point.series for point in plot.points), cycle(LOOKS), strict=False):
        xs, ys, lows, highs = zip(*(point[1:] for point in plot.points if point.series == series), strict=True)
        whiskers = [[abs(y - end) for y, end in zip(ys, ends, strict=True)] for ends in (lows, highs)]
        axes.errorbar(xs, ys, whiskers, label=series.replace("$", r"\$"), marker=sign, linestyle=dash, capsize=3)
    axes.plot([point.x for point in plot.frontier], [point.y for point in plot.frontier], color="0.5", zorder=0)
    figure.legend(loc="outside right upper")  # beside the axes, where it hides nothing
    with writing(path, "wb") as file:
        figure.savefig(file, format=path.suffix[1:], dpi=300)
    return path
