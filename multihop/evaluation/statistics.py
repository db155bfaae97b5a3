"""The numbers of a run as arrays, confidence intervals of means, also of several runs, and tests of differences."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .metrics.passages import KINDS
from .row import ROW_COSTS, Failure, Row, Status, cause_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 1000
PATTERNS = 10_000
SEED = 0
EXACT = 16
"""Up to so many differing pairs, every sign pattern is counted instead of sampled."""
ROWS = 20
"""Resamples drawn at a time, of few questions; a divisor of RESAMPLES."""
AT_ONCE = 1_000_000
"""Random numbers held in memory at a time."""


class Mean(NamedTuple):
    """A mean with the interval in which 95 % of its resamples lie."""

    mean: float
    """The mean over the values that went in."""
    low: float
    """2.5 % of the resamples have a lower mean."""
    high: float
    """2.5 % of the resamples have a higher mean."""
    n: int
    """Values that went in."""


class RunningMean:
    """A mean of shares from 0 to 1, added one by one, with an interval that costs nothing, to look at meanwhile.

    The interval is the normal one, of the values with two more of 0 and two more of 1: so few values never look sure,
    also where all of them are the same, and many give nearly what `bootstrap_means` gives.
    """

    __slots__ = ("_squares", "_sum", "n")

    def __init__(self) -> None:
        self.n = 0
        """Values that went in."""
        self._sum = self._squares = 0.0

    def add(self, value: float) -> None:
        """Take one more value in."""
        self.n += 1
        self._sum += value
        self._squares += value * value

    @property
    def mean(self) -> float:
        """The mean over the values that went in."""
        return self._sum / self.n

    @property
    def half(self) -> float:
        """Half the 95 % interval."""
        n, total, squares = self.n + 4, self._sum + 2, self._squares + 2
        return 1.96 * math.sqrt(max(squares / n - (total / n) ** 2, 0.0) / n)


def bootstrap_means(columns: "dict[str, NDArray[np.float64]]") -> dict[str, Mean]:
    """The mean of each column and its 95 % percentile interval, over questions drawn with replacement.

    All columns are resampled together; NaN marks a question to which a column does not apply, and a column that applies
    to none is left out. A question that was answered several times has a row of values, which are drawn together. The
    same values give the same interval, always.
    """
    import numpy as np

    columns = {name: column for name, column in columns.items() if not np.isnan(column).all()}
    if not columns:
        return {}
    rows_of = [column.reshape(len(column), -1) for column in columns.values()]
    present = np.column_stack([(~np.isnan(rows)).sum(axis=1) for rows in rows_of])
    filled = np.column_stack([np.nansum(rows, axis=1) for rows in rows_of])
    both = np.hstack([filled, present.astype(np.float64)])
    random, size = np.random.default_rng(SEED), len(both)
    sums = np.empty((RESAMPLES, both.shape[1]))
    rows = ROWS if ROWS * size <= AT_ONCE // ROWS else 1
    offsets = size * np.arange(rows)[:, None]
    for start in range(0, RESAMPLES, rows):
        drawn = random.integers(size, size=(rows, size)) + offsets
        times = np.bincount(drawn.ravel(), minlength=rows * size).astype(np.float64)
        sums[start : start + rows] = times.reshape(rows, size) @ both
    totals, counts = np.hsplit(sums, 2)
    means = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    percentile = np.nanpercentile if np.isnan(means).any() else np.percentile  # the first goes column by column
    low, high = percentile(means, [2.5, 97.5], axis=0)
    n = present.sum(axis=0)
    return {
        name: Mean(float(filled[:, place].sum() / n[place]), float(low[place]), float(high[place]), int(n[place]))
        for place, name in enumerate(columns)
    }


def mean_with_gaps(values: "NDArray[np.float64]", gaps: "NDArray[np.bool_] | None") -> Mean | None:
    """The mean of the values that are known, with an interval that counts each gap against it; None without values.

    A gap is a value that there should be and that nobody knows: as low as 0, or the lowest known value, at the lower
    bound, and as high as 1, or the highest, at the upper one. NaN that is no gap is no value at all.
    """
    known = bootstrap_means({"": values}).get("")
    if known is None or gaps is None or not gaps.any():
        return known
    low, high = fill_gaps(values, gaps)
    filled = bootstrap_means({"low": low, "high": high})
    return Mean(known.mean, filled["low"].low, filled["high"].high, known.n)


def fill_gaps(
    values: "NDArray[np.float64]", gaps: "NDArray[np.bool_]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """The values with each gap as low as it may be, and as high; see `mean_with_gaps`. Some value must be known."""
    import numpy as np

    worst, best = min(0.0, float(np.nanmin(values))), max(1.0, float(np.nanmax(values)))
    return np.where(gaps, worst, values), np.where(gaps, best, values)


def permutation_p_value(differences: "NDArray[np.float64]") -> float:
    """The probability that chance alone, flipping the sign of each pair's difference, gives a mean as far from 0.

    Exact where few pairs differ, else from 10,000 sign patterns.
    """
    import numpy as np

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


class Numbered(NamedTuple):
    """One measure of a run, question by question."""

    ids: Sequence[str]
    """The ids of its questions."""
    numbers: "NDArray[np.float64]"
    """The number of each; NaN where it has none."""
    gaps: "NDArray[np.bool_] | None" = None
    """True where a question should have a number, and the metric failed; nowhere by default."""


class RepeatedMean(NamedTuple):
    """A mean over several runs."""

    mean: float
    """The mean over all answers of all runs."""
    low: float
    """2.5 % of the resamples of the questions have a lower mean."""
    high: float
    """2.5 % of the resamples have a higher mean."""
    lowest: float
    """The lowest mean of one run."""
    highest: float
    """The highest mean of one run."""
    n: int
    """The questions that went in."""
    answers: int
    """The answers that went in, of all runs."""


def mean_of_repeats(runs: Sequence[Numbered]) -> RepeatedMean | None:
    """The mean over all runs; None where none of them has a number.

    Questions are resampled, each with its answers from all runs, so that the interval says how sure the mean is over
    other questions, and the lowest and the highest run how much it hangs on the draw.
    """
    import numpy as np

    table, gaps = _by_question(runs)
    found = mean_with_gaps(table, gaps)
    if found is None:
        return None
    alone = [float(np.nanmean(run)) for run in table.T if not np.isnan(run).all()]
    answered = int((~np.isnan(table)).any(axis=1).sum())
    return RepeatedMean(found.mean, found.low, found.high, min(alone), max(alone), answered, found.n)


def means_by_question(runs: Sequence[Numbered]) -> Numbered:
    """One number for each question: its mean over the runs. There is a gap where any of its answers has one."""
    import numpy as np

    table, gaps = _by_question(runs)
    known = ~np.isnan(table)
    counts = known.sum(axis=1)
    sums = np.where(known, table, 0.0).sum(axis=1)
    means = np.divide(sums, counts, out=np.full(len(table), np.nan), where=counts > 0)
    return Numbered(sorted({name for run in runs for name in run.ids}), means, gaps.sum(axis=1) > 0)


def _by_question(runs: Sequence[Numbered]) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """Numbers and gaps, with a row for each question, in the order of the ids, and a column for each run."""
    import numpy as np

    places = {name: place for place, name in enumerate(sorted({name for run in runs for name in run.ids}))}
    table, gaps = np.full((len(places), len(runs)), np.nan), np.zeros((len(places), len(runs)), dtype=bool)
    for column, run in enumerate(runs):
        rows = [places[name] for name in run.ids]
        table[rows, column] = run.numbers
        if run.gaps is not None:
            gaps[rows, column] = run.gaps
    return table, gaps


Key = tuple[str, ...]
"""("metrics", name), ("unmeasured", name), ("counts", name), ("cost", name), ("calls_by_role", role), ("tokens", model,
way), ("tokens_by_role", role, way) and `RUN_SECONDS`."""
RUN_SECONDS: Key = ("run", "seconds")
"""The seconds that the run had been at work when a question was finished."""
_COSTS: tuple[Key, ...] = tuple(("cost", name) for name in ROW_COSTS)


class Labels(NamedTuple):
    """The labels under which a row is counted."""

    status: Status
    """Answered, over the budget, or an error."""
    error: str
    """The error's name; empty where there was none."""
    type: str
    """The question's type."""
    hops: int
    """Its number of hops; 0 where unknown."""
    matched_by: str = ""
    """The way in which its gold was recognised (see `Match.by`); empty in errors, else never."""


class Columns:
    """Eight bytes for each number of each question, in the order of the questions' ids.

    Of a question with several rows, the last one counts. It is NaN where a row has no such number. Where no gold
    passage was recognised in the whole run, nobody knows whether it could have been, and there is no recall.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        """Take the numbers out of the rows, one row at a time."""
        import numpy as np

        places: dict[Key, int] = {key: place for place, key in enumerate((*_COSTS, RUN_SECONDS))}
        last: dict[str, tuple[Labels, array[float], dict[str, Failure]]] = {}
        same: dict[Labels, Labels] = {}
        for row in rows:
            numbers, labels = dict(_numbers(row)), _labels(row)
            for key in numbers:
                places.setdefault(key, len(places))
            values = array("d", [numbers.get(key, math.nan) for key in places])
            last[row["id"]] = same.setdefault(labels, labels), values, row.get("unmeasured", {})
        self.ids: list[str] = sorted(last)
        self.labels = [last[identifier][0] for identifier in self.ids]
        """The questions' labels."""
        self._failed = [failed for _, _, failed in last.values() if failed]
        table = np.full((len(places), len(last)), math.nan)
        for place, identifier in enumerate(self.ids):
            values = last[identifier][1]
            table[: len(values), place] = values
        self._columns = dict(zip(places, table, strict=True))
        ways = {labels.matched_by for labels in self.labels} - {""}
        if ways and ways.isdisjoint(KINDS):
            for kind, *names in places:
                if kind == "metrics" and "recall@" in names[0]:
                    self._columns[kind, names[0]][:] = math.nan

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, key: Key) -> "NDArray[np.float64]":
        return self._columns[key]

    def __contains__(self, key: Key) -> bool:
        return key in self._columns

    @property
    def answered(self) -> dict[str, int]:
        """The places of the questions that did not end in an error, by id."""
        places = enumerate(zip(self.ids, self.labels, strict=True))
        return {identifier: place for place, (identifier, labels) in places if labels.status != "error"}

    @property
    def measured(self) -> list[str]:
        """The names of the metrics."""
        return [name for _, name in self.of_kind("metrics")]

    def unmeasured(self, metric: str) -> "NDArray[np.bool_]":
        """The answers on which the metric failed, in the order of the ids."""
        import numpy as np

        key = ("unmeasured", metric)
        return self[key] == 1.0 if key in self._columns else np.zeros(len(self), dtype=bool)

    def cause(self, metric: str) -> str:
        """The most frequent cause for which the metric failed."""
        causes = Counter(cause_of(failed[metric]) for failed in self._failed if metric in failed)
        return causes.most_common(1)[0][0]

    def of_kind(self, kind: str) -> list[Key]:
        """The columns of one kind, such as "metrics"."""
        return [key for key in self._columns if key[0] == kind]


def _labels(row: Row) -> Labels:
    error = row.get("error")
    name, matched_by = (error["type"], "") if error else ("", row.get("matched_by", ""))
    return Labels(row["status"], name, row.get("type", ""), row.get("hops", 0), matched_by)


def _numbers(row: Row) -> Iterator[tuple[Key, float]]:
    cost: Mapping[str, Any] = row["cost"]  # read by the names of its columns
    for name, value in row["metrics"].items():
        yield ("metrics", name), math.nan if value is None else value
    for name in row.get("unmeasured", {}):
        yield ("unmeasured", name), 1.0
    yield RUN_SECONDS, row.get("run_seconds", 0.0)
    for key in _COSTS:
        yield key, cost[key[1]]
    for name, value in row.get("counts", {}).items():
        yield ("counts", name), value
    for role, calls in cost.get("calls_by_role", {}).items():
        yield ("calls_by_role", role), calls
    for kind in ("tokens", "tokens_by_role"):
        for whose, spent in cost.get(kind, {}).items():
            for way, tokens in spent.items():
                yield (kind, whose, way), tokens
