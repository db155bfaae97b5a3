"""The plot of run folders that `multihop plot` draws, and the figures in it as plain values."""

import os
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ...base import InputError
from ...evaluation.comparison.run_names import short_run_names
from ...evaluation.report.report import unit_of
from .by_setting import plot_by_setting, points_by_setting
from .frontier import as_priced, cost_a_question, find_frontier, place_points, shared_quality
from .plot import Plot
from .plotted_runs import PlottedRun, measure_together, read_runs

FRONTIER = "frontier"
SIMULATED_NOTE = "SIMULATED: the LM knew the gold; this says nothing about quality"
COSTS = {"calls": "LM calls", "tokens": "tokens"}
"""The units in which cost may be counted, with their names."""


class Plotted(NamedTuple):
    """A plot, and what is in it."""

    plot: Plot
    """The plot."""
    values: list[dict[str, Any]]
    """Each mark's figures, in percent."""


def plot_runs(
    runs: Sequence[str | os.PathLike[str]],
    of: str = FRONTIER,
    *,
    metric: str | None = None,
    cost: Literal["calls", "tokens"] = "calls",
    different_data: bool = False,
) -> Plotted:
    """The plot of runs.

    Args:
        runs: Their folders; as NAME=FOLDER under another name. A folder of repeats is one run.
        of: "frontier", quality over cost; or a setting that differs between the runs, or "shots".
        metric: The score; exact match by default.
        cost: The unit in which the frontier counts cost.
        different_data: Draw runs over different question sets together.

    Raises:
        InputError: A folder holds no run, the metric is no share or missing, or the setting differs nowhere.
        MismatchError: The runs were made on different questions.
    """
    found = read_runs(runs, different_data=different_data)
    note = SIMULATED_NOTE if any(summary["simulated"] for run in found for summary in run.summaries) else ""
    if len(found) < 2:
        raise InputError(f"a plot takes two runs or more, not {len(found)}.")
    metric = metric or shared_quality([summary["metrics"] for run in found for summary in run.summaries])
    if metric is None:
        raise InputError("the runs share no metric that is a share; evaluate them with the same metrics.")
    if unit_of(metric)[0] != 100:
        raise InputError(f"{metric} is no share, so it has no place on a scale in percent; choose another --metric.")
    if of == FRONTIER:
        return _frontier(found, metric, COSTS[cost], note)
    points = points_by_setting(found, of, metric)
    values = [{**point._asdict(), "folders": list(point.folders)} for point in points]
    return Plotted(plot_by_setting(points, of, metric, note=note), values)


def _frontier(runs: Sequence[PlottedRun], metric: str, cost: str, note: str) -> Plotted:
    names = _names(runs)
    priced = [
        as_priced(name, cost_a_question(run.summaries, cost), measure_together([run], metric), *run.counted(metric))
        for name, run in zip(names, runs, strict=True)
    ]
    best = find_frontier(priced)
    values = [
        {**each._asdict(), "on_frontier": each.name in best, "folders": [str(folder) for folder in run.folders]}
        for each, run in zip(priced, runs, strict=True)
    ]
    return Plotted(place_points(priced, quality=metric, cost=cost, note=note), values)


def _names(runs: Sequence[PlottedRun]) -> list[str]:
    """The names that were given, or that tell the runs apart."""
    known = short_run_names([run.header for run in runs], [_place(run) for run in runs])
    names = [run.name or name for run, name in zip(runs, known, strict=True)]
    if len(set(names)) < len(names):
        raise InputError("two runs have the same name; each needs one of its own.")
    return names


def _place(run: PlottedRun) -> os.PathLike[str]:
    return run.folders[0] if len(run.folders) == 1 else run.folders[0].parent
