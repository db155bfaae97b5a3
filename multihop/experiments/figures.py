"""The figures of a run that a table can show: quality as percentages, everything else as it is counted.

A measure is the name of a metric (`metric_named`) or "judged"; "calls", "retrievals", "chain", "seconds", "tokens" or
"prompt_tokens" a question; "questions", how many were answered; "calls:ROLE", the calls of one step; "count:NAME", one
of the method's own counters; two of these as "A/B", the mean of the one over the mean of the other, in percent; or
"unmeasured", for a published column that nothing here measures.
"""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import InputError
from ..evaluation.journal import read_rows
from ..evaluation.metrics import Judged, PassageCount, Recall, metric_named
from ..evaluation.statistics import (
    Mean,
    RepeatedMean,
    RunArrays,
    Values,
    arrays_of,
    mean_of_repeats,
    mean_with_gaps,
)
from .experiment import Measure

COSTS = ("calls", "retrievals", "chain", "seconds")
"""The counts that a run has for every question under these names."""
JUDGED = Judged.name
NOT_MEASURED = "unmeasured"
"""The measure of a published column that nothing here measures."""
_WAYS = {"tokens": ("in", "out"), "prompt_tokens": ("in",)}
"""The counts of tokens that go into a measure."""
_PLAIN = (*COSTS, *_WAYS, "questions", NOT_MEASURED)
_HEADS = {
    "em": "EM",
    "f1": "F1",
    "judged": "Acc",
    "calls": "LM calls",
    "prompt_tokens": "prompt tokens",
}


class Figure(NamedTuple):
    """One figure with its interval."""

    mean: float
    low: float | None
    """2.5 % of the resamples lie below; None for a count or a ratio, which has no interval here."""
    high: float | None
    n: int
    asked: int
    """The questions that were asked, of those that count for this figure."""
    lowest: float | None = None
    """The lowest figure of one run; None for a single run."""
    highest: float | None = None
    """The highest figure of one run; None for a single run."""


def check_metric(metric: str) -> str:
    """The measure's name; one under which nothing is measured is refused."""
    over, slash, under = metric.partition("/")
    if slash:
        return f"{check_metric(over)}/{check_metric(under)}"
    kind, colon, name = metric.partition(":")
    if metric in (*_PLAIN, JUDGED) or (colon and name and kind in ("calls", "count")):
        return metric
    try:
        metric_named(metric)
    except InputError as error:
        more = f"{', '.join(_PLAIN)}, {JUDGED}, calls:ROLE, count:NAME, or two as A/B"
        raise InputError(f"{str(error).rstrip('.')}; also {more}.") from None
    return metric


def metrics_needed(measures: Iterable[Measure]) -> list[str]:
    """The names of the metrics that a run has to measure for these figures."""
    parts = [part for measure in measures for part in measure.metric.split("/")]
    return list(dict.fromkeys(part for part in parts if part not in _PLAIN and ":" not in part))


def is_of_passages(measure: Measure) -> bool:
    """True if the figure is of the passages that a program returns alone, not of its answers or costs."""
    parts = metrics_needed([measure])
    return parts == measure.metric.split("/") and all(
        part != JUDGED and isinstance(metric_named(part), Recall | PassageCount) for part in parts
    )


def head(measure: Measure) -> str:
    """The title of the measure in a table, such as "F1, 2 hops" or "documents/review calls"."""
    parts = [_head(part) for part in measure.metric.split("/")]
    return "/".join(parts) + (f", {measure.hops} hops" if measure.hops else "")


def is_share(metric: str) -> bool:
    """True if the measure is a share, shown as a percentage."""
    return "/" not in metric and bool(metrics_needed([Measure(metric)])) and metric != "K"


def figures_of(folders: Sequence[str | os.PathLike[str]], measures: Iterable[Measure]) -> dict[Measure, Figure | None]:
    """Each figure of finished runs over the same questions; None where they have none, as recall without retrieval."""
    runs = [arrays_of(read_rows(folder)) for folder in folders]
    return {each: _figure(runs[0], each) if len(runs) == 1 else _of_repeats(runs, each) for each in measures}


def _figure(run: RunArrays, measure: Measure) -> Figure | None:
    """A figure of one run."""
    if "/" in measure.metric:
        return _ratio(run, measure)
    values = values_of(run, measure)
    mean = None if values is None else mean_with_gaps(values.numbers, values.gaps)
    if values is None or mean is None:
        return None
    if measure.metric == "questions":
        return Figure(mean.n, None, None, mean.n, mean.n)
    return _figure_of(measure, mean, len(values.ids))


def _of_repeats(runs: Sequence[RunArrays], measure: Measure) -> Figure | None:
    """A figure of several runs, with that of the lowest and of the highest of them."""
    single = [figure for run in runs if (figure := _figure(run, measure)) is not None]
    if not single:
        return None
    means = [figure.mean for figure in single]
    lowest, highest, asked = min(means), max(means), max(figure.asked for figure in single)
    if "/" in measure.metric or measure.metric == "questions":
        n = max(figure.n for figure in single)
        return Figure(sum(means) / len(means), None, None, n, asked, lowest, highest)
    mean = mean_of_repeats([values for run in runs if (values := values_of(run, measure)) is not None])
    if mean is None:
        return None
    return _figure_of(measure, mean, asked)._replace(lowest=lowest, highest=highest)


def _figure_of(measure: Measure, mean: Mean | RepeatedMean, asked: int) -> Figure:
    scale = 100.0 if is_share(measure.metric) else 1.0
    return Figure(scale * mean.mean, scale * mean.low, scale * mean.high, mean.n, asked)


def values_of(run: RunArrays, measure: Measure) -> Values | None:
    """The number of every question that counts; None where the run has no such numbers, and for a ratio."""
    numbers = _numbers(run, measure.metric)
    if numbers is None:
        return None
    gaps = run.gaps.get(measure.metric, np.zeros(len(run.ids), dtype=bool))
    counts = np.array([measure.hops in (None, labels.hops) for labels in run.labels], dtype=bool)
    ids = [name for name, is_counted in zip(run.ids, counts, strict=True) if is_counted]
    return Values(ids, numbers[counts], gaps[counts])


def _numbers(run: RunArrays, metric: str) -> NDArray[np.float64] | None:
    """The number of every question of the run, by the name of a measure; None where there are no such numbers."""
    kind, colon, name = metric.partition(":")
    nothing: NDArray[np.float64] = np.zeros(len(run.ids))
    if metric == NOT_MEASURED:
        return None
    if metric == "questions":
        return np.array([1.0 if label.status != "error" else np.nan for label in run.labels])
    if metric in COSTS:
        return run.cost[metric]
    if metric in _WAYS:
        counted = [np.nan_to_num(tokens) for (_, way), tokens in run.tokens.items() if way in _WAYS[metric]]
        return sum(counted, start=nothing)
    if kind == "calls":
        return np.nan_to_num(run.calls_by_role.get(name, nothing))
    return run.counts.get(name) if colon else run.metrics.get(metric)


def _ratio(run: RunArrays, measure: Measure) -> Figure | None:
    over, under = (values_of(run, Measure(part, measure.hops)) for part in measure.metric.split("/"))
    if over is None or under is None or not np.nansum(under.numbers):
        return None
    known = int((~np.isnan(over.numbers)).sum())
    ratio = float(100 * np.nanmean(over.numbers) / np.nanmean(under.numbers))
    return Figure(ratio, None, None, known, len(over.ids))


def _head(metric: str) -> str:
    kind, colon, name = metric.partition(":")
    if colon:
        return f"{name} calls" if kind == "calls" else name.replace("_", " ")
    return _HEADS.get(metric, metric)
