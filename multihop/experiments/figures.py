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
from ..evaluation.intervals import kind_of
from ..evaluation.journal import read_rows
from ..evaluation.metrics import Judged, PassageCount, Recall, metric_named
from ..evaluation.statistics import RunArrays, Values, arrays_of, mean_of_repeats
from .experiment import Measure

COSTS = ("calls", "retrievals", "chain", "seconds")
"""The counts that a run has for every question under these names."""
JUDGED = Judged.name
NOT_MEASURED = "unmeasured"
"""The measure of a published column that nothing here measures."""
_WAYS = {"tokens": ("in", "out"), "prompt_tokens": ("in",)}
"""The counts of tokens that go into a measure."""
_PLAIN = (*COSTS, *_WAYS, "questions", NOT_MEASURED)
_HEADS = {"em": "EM", "f1": "F1", "judged": "Acc", "calls": "LM calls", "prompt_tokens": "prompt tokens"}


class Figure(NamedTuple):
    """One figure with its interval."""

    mean: float
    low: float | None
    """The lower end; None for a ratio or a number of questions, and for too few questions."""
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
        if colon:
            raise InputError(f"unknown measure '{metric}'.")
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
    return "/" not in metric and bool(metrics_needed([Measure(metric)])) and kind_of(metric) == "share"


def figures_of(folders: Sequence[str | os.PathLike[str]], measures: Iterable[Measure]) -> dict[Measure, Figure | None]:
    """Each figure of finished runs over the same questions; None where they have none, as recall without retrieval."""
    runs = [arrays_of(read_rows(folder)) for folder in folders]
    return {each: _figure(runs, each) for each in measures}


def _figure(runs: Sequence[RunArrays], measure: Measure) -> Figure | None:
    """The figure over all runs; of several with that of the lowest and of the highest of them."""
    if "/" in measure.metric or measure.metric == "questions":
        counted = [found for run in runs if (found := _without_interval(run, measure)) is not None]
        if not counted:
            return None
        means, n, asked = zip(*counted, strict=True)
        figure, ends = Figure(sum(means) / len(means), None, None, max(n), max(asked)), (min(means), max(means))
    else:
        values = [each for run in runs if (each := values_of(run, measure)) is not None]
        mean = mean_of_repeats("share" if is_share(measure.metric) else "count", values) if values else None
        if mean is None:
            return None
        scale, asked_most = 100.0 if is_share(measure.metric) else 1.0, max(len(each.ids) for each in values)
        low, high = (None if end is None else scale * end for end in (mean.low, mean.high))
        figure = Figure(scale * mean.mean, low, high, mean.n, asked_most)
        ends = scale * mean.lowest, scale * mean.highest
    return figure if len(runs) == 1 else figure._replace(lowest=ends[0], highest=ends[1])


def _without_interval(run: RunArrays, measure: Measure) -> tuple[float, int, int] | None:
    """A count or a ratio of one run, the questions that went in, and those that count for it."""
    parts = [values_of(run, Measure(part, measure.hops)) for part in measure.metric.split("/")]
    over, under = parts[0], parts[-1]
    if over is None or under is None or not np.nansum(under.numbers):
        return None
    known = int((~np.isnan(over.numbers)).sum())
    if measure.metric == "questions":
        return known, known, known
    return float(100 * np.nanmean(over.numbers) / np.nanmean(under.numbers)), known, len(over.ids)


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


def _head(metric: str) -> str:
    kind, colon, name = metric.partition(":")
    if colon:
        return f"{name} calls" if kind == "calls" else name.replace("_", " ")
    return _HEADS.get(metric, metric)
