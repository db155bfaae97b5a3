"""The numbers of a run as arrays, the intervals of their means, and tests of differences.

An array has a place for each question, or is of shape (repeats, questions). NaN stands where a question has no number.
Where it should have one and the metric failed, there is a gap: an interval counts each gap against the mean, as low as
0 or the lowest known number at its lower bound, and as high as 1 or the highest at its upper one.
"""

import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..encoder.taught import has_taught
from .intervals import Kind, interval_of
from .metrics.named import goes_by_place
from .metrics.passages import KINDS
from .row import ROW_COSTS, Failure, Row, Status, cause_of

PATTERNS = 10_000
SEED = 0
EXACT = 16
"""Up to so many differing pairs, every sign pattern is counted instead of sampled."""
AT_ONCE = 1_000_000
"""Random numbers held in memory at a time."""


class Labels(NamedTuple):
    """The labels under which a row is counted."""

    status: Status
    """Answered, over the budget, or an error."""
    error: str
    """The error's name; empty where there was none."""
    type: str
    """The question's type."""
    hops: int
    """The question's number of hops; 0 where unknown."""
    matched_by: str = ""
    """The way in which its gold was recognised (see `Match.by`); empty in errors, else never."""
    taught: bool = False
    """True if the built-in networks learned from this question, whoever answers it here."""


class Values(NamedTuple):
    """One measure of a run, or of several runs over the same questions."""

    ids: Sequence[str]
    """The ids of the questions."""
    numbers: NDArray[np.float64]
    """The number of each; NaN where it has none."""
    gaps: NDArray[np.bool_]
    """True where a question should have a number, and the metric failed."""

    def applying(self) -> set[str]:
        """The questions that have a number, or a gap."""
        applies = ~np.isnan(self.numbers) | self.gaps
        return {identifier for identifier, is_in in zip(self.ids, applies.tolist(), strict=True) if is_in}

    def without(self, ids: Collection[str]) -> "Values":
        """The values of all other questions."""
        return self.of([identifier for identifier in self.ids if identifier not in ids])

    def of(self, ids: Sequence[str]) -> "Values":
        """The values of these questions alone, in this order."""
        places = {identifier: place for place, identifier in enumerate(self.ids)}
        which = [places[identifier] for identifier in ids]
        return Values(ids, self.numbers[which], self.gaps[which])


@dataclass(frozen=True, slots=True)
class RunArrays:
    """The numbers of a run, in the order of the questions' ids: eight bytes for each number of each question."""

    ids: list[str]
    labels: list[Labels]
    """The questions' labels."""
    causes: dict[str, str]
    """The most frequent cause for which a metric failed, by its name."""
    metrics: dict[str, NDArray[np.float64]]
    gaps: dict[str, NDArray[np.bool_]]
    """The answers on which each metric failed."""
    counts: dict[str, NDArray[np.float64]]
    """The method's own counters."""
    cost: dict[str, NDArray[np.float64]]
    """The numbers of `ROW_COSTS`, and "run_seconds": the run's time until the question was finished."""
    calls_by_role: dict[str, NDArray[np.float64]]
    tokens: dict[tuple[str, str], NDArray[np.float64]]
    """Tokens by model and way ("in", "out")."""
    tokens_by_role: dict[tuple[str, str], NDArray[np.float64]]

    def answered(self) -> list[str]:
        """The questions that did not end in an error."""
        return [name for name, labels in zip(self.ids, self.labels, strict=True) if labels.status != "error"]

    def values(self, metric: str) -> Values:
        """The numbers of a metric."""
        return Values(self.ids, self.metrics[metric], self.gaps[metric])


def arrays_of(rows: Iterable[Row]) -> RunArrays:
    """Take the numbers out of the rows, one row at a time; of a question with several rows, the last one counts."""
    places: dict[tuple[str, ...], int] = {("cost", name): n for n, name in enumerate((*ROW_COSTS, "run_seconds"))}
    last: dict[str, tuple[Labels, array[float], dict[str, Failure]]] = {}
    same: dict[Labels, Labels] = {}
    for row in rows:
        numbers, labels = dict(_numbers(row)), _labels(row)
        for key in numbers:
            places.setdefault(key, len(places))
        values = array("d", [numbers.get(key, math.nan) for key in places])
        last[row["id"]] = same.setdefault(labels, labels), values, row.get("unmeasured", {})
    ids = sorted(last)
    table = np.full((len(places), len(ids)), math.nan)
    for place, identifier in enumerate(ids):
        values = last[identifier][1]
        table[: len(values), place] = values
    kinds: dict[str, dict[Any, Any]] = {
        kind: {} for kind in ("metrics", "gaps", "counts", "cost", "calls_by_role", "tokens", "tokens_by_role")
    }
    for (kind, *path), column in zip(places, table, strict=True):
        kinds[kind][tuple(path) if len(path) > 1 else path[0]] = column
    ways = {labels.matched_by for labels, *_ in last.values()} - {""}
    for name, column in kinds["metrics"].items():  # where no gold passage was recognised at all, there is no recall
        if goes_by_place(name) and ways and ways.isdisjoint(KINDS):
            column[:] = math.nan
    kinds["gaps"] = {name: kinds["gaps"].get(name, np.zeros(len(ids))) == 1.0 for name in kinds["metrics"]}
    causes: dict[str, Counter[str]] = {}
    for *_, failed in last.values():
        for name, failure in failed.items():
            causes.setdefault(name, Counter())[cause_of(failure)] += 1
    told = {name: counted.most_common(1)[0][0] for name, counted in causes.items()}
    return RunArrays(ids, [last[identifier][0] for identifier in ids], told, **kinds)


def _labels(row: Row) -> Labels:
    error = row.get("error")
    name, matched_by = (error["type"], "") if error else ("", row.get("matched_by", ""))
    taught = has_taught(row.get("question", ""), row["id"])
    return Labels(row["status"], name, row.get("type", ""), row.get("hops", 0), matched_by, taught)


def _numbers(row: Row) -> Iterator[tuple[tuple[str, ...], float]]:
    """The row's numbers, each with the field of `RunArrays` and the name under which it is kept there."""
    cost: Mapping[str, Any] = row["cost"]  # read by the names of its columns
    for name, value in row["metrics"].items():
        yield ("metrics", name), math.nan if value is None else value
    for name in row.get("unmeasured", {}):
        yield ("gaps", name), 1.0
    for name in ROW_COSTS:
        yield ("cost", name), cost[name]
    yield ("cost", "run_seconds"), row.get("run_seconds", 0.0)
    for name, value in row.get("counts", {}).items():
        yield ("counts", name), value
    for role, calls in cost.get("calls_by_role", {}).items():
        yield ("calls_by_role", role), calls
    for kind in ("tokens", "tokens_by_role"):
        for whose, spent in cost.get(kind, {}).items():
            for way, tokens in spent.items():
                yield (kind, whose, way), tokens


class Mean(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    """The mean over the values that went in."""
    low: float | None
    """The lower end of the interval; None for too few questions (see `interval_of`)."""
    high: float | None
    """The upper end of the interval."""
    n: int
    """Values that went in."""


def excludes_zero(change: Mean) -> bool:
    """True if the interval of a difference does not hold 0; never without one."""
    return change.low is not None and change.high is not None and not change.low <= 0 <= change.high


def paired(runs: Sequence[Values]) -> list[Values]:
    """One measure of several runs over the questions to which it applies in all of them."""
    ids = sorted(set.intersection(*(run.applying() for run in runs)))
    return [run.of(ids) for run in runs]


def mean_of(kind: Kind, numbers: NDArray[np.float64], gaps: NDArray[np.bool_] | None = None) -> Mean | None:
    """The mean of the numbers that are known, with an interval that counts each gap against it; None without any.

    Of several runs, the interval is that of the questions' means: it says how sure the mean is over other questions.
    """
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return None
    mean, n = float(known.mean()), len(known)
    if gaps is None or not gaps.any():
        low = high = _interval(kind, numbers)
    else:
        low, high = (_interval(kind, filled) for filled in fill_gaps(numbers, gaps))
    return Mean(mean, low and low[0], high and high[1], n)


def _interval(kind: Kind, numbers: NDArray[np.float64]) -> tuple[float, float] | None:
    """The interval over the questions that have a number; a share that is beyond 0 and 1 is treated as a count."""
    each = np.atleast_2d(numbers)
    each = each[:, ~np.isnan(each).all(axis=0)]
    means = np.nanmean(each, axis=0)
    least = {"share": 0.0, "change": -1.0, "count": -math.inf}[kind]
    within = len(means) and means.min() >= least and means.max() <= 1.0
    changed = int(np.count_nonzero(means))
    return interval_of(kind if within else "count", len(means), float(means.sum()), float(means @ means), changed)


def fill_gaps(numbers: NDArray[np.float64], gaps: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The numbers with each gap as low as it may be, and as high; some number must be known."""
    worst, best = min(0.0, float(np.nanmin(numbers))), max(1.0, float(np.nanmax(numbers)))
    return np.where(gaps, worst, numbers), np.where(gaps, best, numbers)


def permutation_p_value(differences: NDArray[np.float64]) -> float:
    """The probability that chance alone, flipping the sign of each pair's difference, gives a mean as far from 0.

    Exact where few pairs differ, else from 10,000 sign patterns.
    """
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    observed = abs(changed.sum()) - 1e-9 * abs(changed).sum()  # patterns that tie with it must not be lost to rounding
    if len(changed) <= EXACT:
        sums = np.zeros(1)
        for difference in changed:
            sums = np.concatenate([sums + difference, sums - difference])
        return float((abs(sums) >= observed).mean())
    # Eight pairs at a time: a random byte picks one of the 256 signed sums of eight differences.
    eights = np.zeros((-(-len(changed) // 8), 8))
    eights.flat[: len(changed)] = changed
    signs = np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8) * 2.0 - 1.0
    sums, places = eights @ signs.T, np.arange(len(eights))
    random, hits = np.random.default_rng(SEED), 0
    for start in range(0, PATTERNS, step := max(1, AT_ONCE // len(eights))):
        flips = random.integers(256, size=(min(step, PATTERNS - start), len(eights)), dtype=np.uint8)
        hits += int((abs(sums[places, flips].sum(axis=1)) >= observed).sum())
    return (hits + 1) / (PATTERNS + 1)


class RepeatedMean(NamedTuple):
    """A mean over several runs."""

    mean: float
    low: float | None
    high: float | None
    lowest: float
    """The lowest mean of one run."""
    highest: float
    n: int
    """The questions that went in."""
    answers: int


def as_record(mean: Mean | RepeatedMean) -> dict[str, float | None]:
    """The mean as files keep it."""
    return {field: None if value is None else round(value, 6) for field, value in mean._asdict().items()}


def side_by_side(runs: Sequence[Values]) -> Values:
    """One measure of several runs as arrays of shape (repeats, questions)."""
    ids = sorted({identifier for run in runs for identifier in run.ids})
    places = {identifier: place for place, identifier in enumerate(ids)}
    numbers, gaps = np.full((len(runs), len(ids)), np.nan), np.zeros((len(runs), len(ids)), dtype=bool)
    for repeat, run in enumerate(runs):
        which = [places[identifier] for identifier in run.ids]
        numbers[repeat, which], gaps[repeat, which] = run.numbers, run.gaps
    return Values(ids, numbers, gaps)


def mean_of_repeats(kind: Kind, runs: Sequence[Values]) -> RepeatedMean | None:
    """The mean over all runs; None where none of them has a number.

    The interval says how sure it is over other questions; the lowest and the highest run how much depends on the draw.
    """
    _, numbers, gaps = side_by_side(runs)
    found = mean_of(kind, numbers, gaps)
    if found is None:
        return None
    alone = [float(np.nanmean(run)) for run in numbers if not np.isnan(run).all()]
    answered = int((~np.isnan(numbers)).any(axis=0).sum())
    return RepeatedMean(found.mean, found.low, found.high, min(alone), max(alone), answered, found.n)


def means_by_question(runs: Sequence[Values]) -> Values:
    """One number for each question: its mean over the runs. There is a gap where any of its answers has one."""
    ids, numbers, gaps = side_by_side(runs)
    counts = (~np.isnan(numbers)).sum(axis=0)
    means = np.divide(np.nansum(numbers, axis=0), counts, out=np.full(len(ids), np.nan), where=counts > 0)
    return Values(ids, means, gaps.sum(axis=0) > 0)
