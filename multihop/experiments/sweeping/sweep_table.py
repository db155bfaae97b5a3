"""The table of a sweep as a record: each point's quality and cost, and its paired difference to the default."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from ...base import MismatchError
from ...base.plain import plain_value
from ...evaluation import compare
from ...evaluation.journal.header import Header
from ...evaluation.journal.journal import read_rows
from ...evaluation.report.columns import Columns
from ...evaluation.report.statistics import Mean, bootstrap_means
from ...evaluation.report.summary import Interval, Measured, Summary
from .points import SweepPoint

RECORD = "sweep.json"
QUALITY = "f1"
"""The metric by which a setting is said to matter."""


class SweepDifference(Interval):
    """The difference of a point to the default, over the questions that both answered."""

    n: int
    """The questions that went in."""
    p_value: float | None
    """The probability of a difference this large by chance alone; None for what is no measure of quality."""


class SweepRow(TypedDict):
    """One point of a sweep."""

    settings: dict[str, Any]
    """The value of every setting that is swept."""
    changed: dict[str, Any]
    """Those of them that are not as by default; empty for the default itself."""
    folder: str
    """The folder of its run, relative to the sweep's."""
    n: int
    """Questions that are finished."""
    errors: int
    """The number of them that failed; they are in no mean of a metric."""
    over_budget: int
    """The number of them that were answered when the budget ran out."""
    metrics: dict[str, Measured]
    """Each metric by its name."""
    differences: dict[str, SweepDifference]
    """The difference to the default by the metric's name, in the metric's own unit; empty for the default itself."""
    calls: Interval
    """LM calls a question, paid or from the cache."""
    tokens: Interval
    """Tokens a question."""
    seconds: Interval
    """Seconds that a question would take alone."""
    paid_calls: int | None
    """LM calls that the run paid in all; None where nobody knows."""
    paid_usd: float | None
    """Dollars that it paid; None where a price is not known."""


class SweepEffect(TypedDict):
    """The effect of one setting, the others as by default."""

    setting: str
    """The setting."""
    values: list[Any]
    """Its values that were run, that of the default first."""
    metric: str
    """The metric of quality."""
    lowest: float
    """The lowest mean of the metric over these values."""
    highest: float
    """The highest."""
    fewest_calls: float
    """The fewest LM calls a question, in the mean."""
    most_calls: float
    """The most."""
    surely: list[Any]
    """The values whose difference to the default has a 95 % interval without 0."""


class SweepTable(TypedDict):
    """The table of a sweep: sweep.json."""

    program: str
    """The program's name."""
    settings: dict[str, Any]
    """The program's settings as by default here."""
    swept: list[str]
    """The settings that differ between the points."""
    lms: list[str]
    """The LMs that answered."""
    retriever: str | None
    """The fingerprint of the retriever; None for a program that does not retrieve."""
    simulated: bool
    """True if an LM knew the gold, so that the figures say nothing about quality."""
    points: int
    """The number of points that were asked for, run or not."""
    stopped: bool
    """True if the LM calls were used up before all points were done."""
    rows: list[SweepRow]
    """The points that are run, the default first."""
    effects: list[SweepEffect]
    """The effect of each setting alone; a setting that was never varied alone is missing."""


class SweptRun(NamedTuple):
    """A point whose run has begun."""

    point: SweepPoint
    """The point."""
    folder: Path
    """The run's folder."""
    header: Header
    """The run's header."""
    summary: Summary
    """The run's summary."""


def make_sweep_table(
    program: str, settings: dict[str, Any], points: Sequence[SweepPoint], runs: Sequence[SweptRun], *, stopped: bool
) -> SweepTable:
    """The table of the runs that there are.

    Args:
        program: The program's name.
        settings: Its settings as by default.
        points: The points that were asked for.
        runs: The runs, that of the default first.
        stopped: True if the LM calls were used up.
    """
    default = next((run for run in runs if run.point.is_default), None)
    rows = [_row(run, default) for run in runs]
    swept = list(dict.fromkeys(name for point in (*points, *(run.point for run in runs)) for name in point.settings))
    return {
        "program": program,
        "settings": plain_value(settings),
        "swept": swept,
        "lms": sorted({lm["model"] for run in runs for lm in run.header["identity"]["lm"].values()}),
        "retriever": runs[0].header["identity"]["retriever"] if runs else None,
        "simulated": any(run.summary["simulated"] for run in runs),
        "points": len(points),
        "stopped": stopped,
        "rows": rows,
        "effects": list(_effects(swept, rows)) if default is not None else [],
    }


def _row(run: SweptRun, default: SweptRun | None) -> SweepRow:
    columns, summary, paid = Columns(read_rows(run.folder)), run.summary, run.summary["paid"]
    costs = bootstrap_means({name: _cost(columns, name) for name in ("calls", "tokens", "seconds")})
    calls, tokens, seconds = (_interval(costs[name]) for name in ("calls", "tokens", "seconds"))
    return {
        "settings": run.point.settings,
        "changed": run.point.changed,
        "folder": str(Path(*run.folder.parts[-2:])),
        "n": summary["n"],
        "errors": summary["n_error"],
        "over_budget": summary["n_over_budget"],
        "metrics": summary["metrics"],
        "differences": {} if default is None or run is default else _differences(default.folder, run.folder),
        "calls": calls,
        "tokens": tokens,
        "seconds": seconds,
        "paid_calls": paid and paid["calls"],
        "paid_usd": paid and paid.get("usd"),
    }


def _cost(columns: Columns, name: str) -> Any:
    """A cost of each question."""
    import numpy as np

    if name != "tokens":
        return columns["cost", name]
    found = [columns[key] for key in columns.of_kind("tokens") if key[2] in ("in", "out")]
    return np.nansum(found, axis=0) if found else np.zeros(len(columns))


def _interval(mean: Mean) -> Interval:
    return {"mean": round(mean.mean, 6), "low": round(mean.low, 6), "high": round(mean.high, 6)}


def _differences(default: Path, folder: Path) -> dict[str, SweepDifference]:
    try:
        found = compare(default, folder).metrics
    except MismatchError:  # no question was answered by both
        return {}
    return {
        name: {**_interval(each.change), "n": each.change.n, "p_value": each.p_value} for name, each in found.items()
    }


def _effects(swept: Iterable[str], rows: Sequence[SweepRow]) -> Iterable[SweepEffect]:
    for setting in swept:
        alone = [row for row in rows if row["changed"].keys() <= {setting} and QUALITY in row["metrics"]]
        if len(alone) > 1:
            means = [row["metrics"][QUALITY]["mean"] for row in alone]
            calls = [row["calls"]["mean"] for row in alone]
            sure = [row["settings"][setting] for row in alone if is_sure(row["differences"].get(QUALITY))]
            yield {
                "setting": setting,
                "values": [row["settings"][setting] for row in alone],
                "metric": QUALITY,
                "lowest": min(means),
                "highest": max(means),
                "fewest_calls": min(calls),
                "most_calls": max(calls),
                "surely": sure,
            }


def is_sure(difference: SweepDifference | None) -> bool:
    """True if the 95 % interval of the difference excludes 0.

    Examples:
        >>> from multihop.experiments.sweeping.sweep_table import is_sure
        >>> is_sure({"mean": 0.1, "low": 0.02, "high": 0.2, "n": 9, "p_value": 0.04}), is_sure(None)
        (True, False)
    """
    return difference is not None and (difference["low"] > 0 or difference["high"] < 0)
