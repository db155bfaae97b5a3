"""Runs side by side, question by question."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ...base import InputError, MismatchError
from ...base.notebooks import ShownInNotebooks
from ...runtime import Paid, token_count, total_paid
from ..journal.header import Header, prices_of
from ..journal.journal import read_header, read_rows
from ..matching import describe_matching
from ..report.columns import Columns, Key
from ..report.report import unit_of
from ..report.statistics import Mean, bootstrap_means, mean_with_gaps, permutation_p_value
from ..report.summary import Timing, timing_of, tokens_in
from .run_names import run_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSTS = ("calls", "tokens", "seconds", "usd")
EXACT = ("metrics", "em")
UNTESTED = ("K", "gpu")
"""More passages, or busier GPUs, are neither better nor worse."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric in two runs, over the questions that both answered."""

    a: float
    """The first run's mean."""
    b: float
    """The second run's mean."""
    change: Mean
    """b - a, with the 95 % interval of the paired difference, and over how many pairs. Where the metric failed on one
    of a pair, the interval counts it against the difference, at either bound."""
    p_value: float | None
    """The p-value: the probability of a difference this large by chance alone. None for what is no measure of quality,
    such as "K", and where the metric failed on an answer."""
    intervals: tuple[tuple[float, float], tuple[float, float]] | None = None
    """The 95 % intervals of the two means, the first run's and the second's."""


@dataclass(frozen=True, slots=True)
class Comparison(ShownInNotebooks):
    """Two runs over the same questions."""

    names: tuple[str, str]
    """The programs' names, with what sets the runs apart: "one-step k=5" and "one-step k=10"."""
    n: int
    """Questions that both runs answered."""
    only: tuple[int, int]
    """Questions that only one of them answered: the first's, the second's."""
    errors: tuple[int, int]
    """Questions on which either run failed."""
    metrics: dict[str, Difference]
    """Metric by metric, over the questions to which it applies in both runs."""
    unlike: tuple[str, ...]
    """Metrics that the runs measured by different rules or versions, and that are therefore left out."""
    gained: tuple[str, ...]
    """Questions that the second run has right (by exact match) and the first wrong."""
    lost: tuple[str, ...]
    """Questions that the first run has right and the second wrong."""
    cost: dict[str, tuple[float | None, float | None]]
    """Mean LM calls, tokens, seconds and dollars ("usd") a question, in either run; seconds are those that a question
    would take alone, and of dollars it is None where the price of a model is not known."""
    paid: tuple[Paid | None, Paid | None]
    """The bill of either run, where it kept one; `cost` counts answers from the cache like any other."""
    recall: tuple[str, str]
    """The way in which either run's gold was recognised, or the reason why it has no recall."""
    simulated: bool
    """True if the LM of either run knew the gold."""
    unmeasured: tuple[dict[str, int], dict[str, int]]
    """The questions in common on whose answers a metric failed, in either run, by the metric's name."""
    over_budget: tuple[int, int]
    """The questions in common that were cut short by their budget, in either run."""
    timing: tuple[Timing, Timing]
    """The time that either run took, over all its questions."""
    cached: tuple[int, int] = (0, 0)
    """LM calls of either run that were answered from the cache."""

    def __repr__(self) -> str:
        """The runs that are compared, and each metric's difference with its interval."""
        a, b = self.names
        lines = [f"Comparison({b} minus {a}, {self.n:,} questions{', SIMULATED' if self.simulated else ''}:"]
        for name, each in self.metrics.items():
            scale, digits = unit_of(name)
            mean, low, high = (f"{scale * value:+.{digits}f}" for value in each.change[:3])
            n = "" if each.change.n == self.n else f" (n={each.change.n:,})"
            lines.append(f"    {name} {mean} [{low}, {high}]{n}")
        return "\n".join([*lines, ")"])


def compare(a: str | os.PathLike[str], b: str | os.PathLike[str], *, different_data: bool = False) -> Comparison:
    """Pair two runs by question.

    Args:
        a: The first run: its folder, or the `Evaluation`.
        b: The second run, in the same way.
        different_data: Compare what they have in common even if they were made on different question sets.

    Raises:
        InputError: A folder holds no run, the question sets differ, or the runs have no question in common.
    """
    return compare_with_first([a, b], different_data=different_data)[0]


def _folder(run: object) -> str:
    if not isinstance(run, str | os.PathLike):
        raise InputError(f"a run is compared by its folder or its Evaluation, not by {type(run).__name__}.")
    return os.fspath(run)


def compare_with_first(
    folders: Sequence[str | os.PathLike[str]], *, different_data: bool = False
) -> tuple[Comparison, ...]:
    """Each of several runs beside the first, over the questions that all of them answered.

    Args:
        folders: Two runs or more, each as in `compare`.
        different_data: See `compare`.

    Raises:
        InputError: As `compare` does.
    """
    folders = [_folder(run) for run in folders]
    headers = [read_header(folder) for folder in folders]
    for folder, header in zip(folders, headers, strict=True):
        if _data(header) != _data(headers[0]) and not different_data:
            raise MismatchError(
                f"{folders[0]} and {folder} were made on different questions, so their numbers cannot be compared."
            )
    runs = [Columns(read_rows(folder)) for folder in folders]
    common = sorted(set.intersection(*(set(run.answer_counts) for run in runs)))
    if not common:
        raise MismatchError(f"{' and '.join(map(str, folders))} have no answered question in common.")
    sides = [_Side(run, common, header) for run, header in zip(runs, headers, strict=True)]
    shared = _shared_metrics(runs)
    unlike = _unlike_metrics(headers, shared)
    values = _paired([name for _, name in shared if name not in unlike], sides)
    right = [_right(side, common, shared, unlike) for side in sides]
    names, paid = (
        run_names(headers, folders),
        [total_paid(folder, prices_of(header)) for folder, header in zip(folders, headers, strict=True)],
    )
    return tuple(
        Comparison(
            names=(names[0], names[other]),
            n=len(common),
            only=(len(runs[0].answer_counts) - len(common), len(runs[other].answer_counts) - len(common)),
            errors=(len(runs[0]) - len(runs[0].answer_counts), len(runs[other]) - len(runs[other].answer_counts)),
            metrics={
                name: difference
                for name, each in values.items()
                if (difference := _difference(each[0], each[other], test=name not in UNTESTED)) is not None
            },
            unlike=unlike,
            gained=tuple(sorted(right[other] - right[0])),
            lost=tuple(sorted(right[0] - right[other])),
            unmeasured=(sides[0].unmeasured, sides[other].unmeasured),
            over_budget=(sides[0].over_budget, sides[other].over_budget),
            cost={what: (sides[0].mean_cost(what), sides[other].mean_cost(what)) for what in COSTS},
            timing=(timing_of(runs[0]), timing_of(runs[other])),
            paid=(paid[0], paid[other]),
            recall=(_matching(runs[0]), _matching(runs[other])),
            simulated=any(headers[which].get("simulated", False) for which in (0, other)),
            cached=(int(runs[0]["cost", "cached"].sum()), int(runs[other]["cost", "cached"].sum())),
        )
        for other in range(1, len(folders))
    )


class _Values(NamedTuple):
    """A metric's values of one run, over questions."""

    numbers: "NDArray[np.float64]"
    """NaN where the metric has none."""
    gaps: "NDArray[np.bool_]"
    """True where a question should have a number, and the metric failed."""


class _Side:
    """One of several runs, reduced to the questions that all answered."""

    def __init__(self, run: Columns, common: Sequence[str], header: Header) -> None:
        self._run, self._prices = run, prices_of(header)
        self._which = [run.answer_counts[identifier] for identifier in common]

    def values(self, key: Key) -> "NDArray[np.float64]":
        """A column's values, in the order of the common questions."""
        values: NDArray[np.float64] = self._run[key][self._which]
        return values

    def measured(self, metric: str) -> _Values:
        """A metric's values, in the same order."""
        return _Values(self.values(("metrics", metric)), self._run.unmeasured(metric)[self._which])

    @property
    def unmeasured(self) -> dict[str, int]:
        """The questions on whose answers a metric failed, by its name."""
        counts = {name: int(self.measured(name).gaps.sum()) for name in self._run.measured}
        return {name: count for name, count in counts.items() if count}

    @property
    def over_budget(self) -> int:
        """The questions that were cut short."""
        labels = self._run.labels
        return sum(labels[place].status == "over_budget" for place in self._which)

    def mean_cost(self, what: str) -> float | None:
        """Calls, tokens, seconds or dollars a question; tokens come in several kinds, some of which one may lack."""
        if what not in ("tokens", "usd"):
            return float(self.values(("cost", what)).mean())
        models = sorted({key[1] for key in self._run.of_kind("tokens")})
        tokens = {model: tokens_in(self._run, "tokens", model, self._which) for model in models}
        total = token_count(tokens) if what == "tokens" else self._prices.usd(tokens)
        return None if total is None else total / len(self._which)


def _shared_metrics(runs: Sequence[Columns]) -> list[Key]:
    """The metrics that all runs measured."""
    names = [{name for _, name in run.of_kind("metrics")} for run in runs]
    return [key for key in runs[0].of_kind("metrics") if all(key[1] in measured for measured in names)]


def _unlike_metrics(headers: Sequence[Header], shared: Iterable[Key]) -> tuple[str, ...]:
    """The metrics whose rules or versions differ."""
    first, *others = (header["identity"].get("metrics", {}) for header in headers)
    return tuple(name for _, name in shared if any(rules.get(name) != first.get(name) for rules in others))


def _paired(names: Iterable[str], sides: Sequence[_Side]) -> dict[str, list[_Values]]:
    """Metric by metric, each run's values over the questions to which it applies in all; none where there are none."""
    import numpy as np

    paired = {}
    for name in names:
        values = [side.measured(name) for side in sides]
        applies = np.all([~np.isnan(numbers) | gaps for numbers, gaps in values], axis=0)
        if applies.any():
            paired[name] = [_Values(numbers[applies], gaps[applies]) for numbers, gaps in values]
    return paired


def _right(side: _Side, common: Sequence[str], shared: Sequence[Key], unlike: Sequence[str]) -> set[str]:
    """The questions that a run has right by exact match, where that can be compared."""
    if EXACT not in shared or EXACT[1] in unlike:
        return set()
    return {identifier for identifier, em in zip(common, side.values(EXACT), strict=True) if em == 1.0}


def _difference(a: _Values, b: _Values, *, test: bool) -> Difference | None:
    """The difference over the questions that both runs have a number of; None where there are none."""
    known = ~(a.gaps | b.gaps)
    if not known.any():
        return None
    first, second = a.numbers[known], b.numbers[known]
    change = bootstrap_means({"": second - first})[""]
    if not known.all():  # as bad for the second run as it may be at the lower bound, and as good at the upper one
        low, high = (_filled(b, 0.0) - _filled(a, 1.0)), (_filled(b, 1.0) - _filled(a, 0.0))
        bounds = bootstrap_means({"low": low, "high": high})
        change = change._replace(low=bounds["low"].low, high=bounds["high"].high)
    tested = test and bool(known.all())
    p_value = permutation_p_value(second - first) if tested else None
    return Difference(float(first.mean()), float(second.mean()), change, p_value, (_interval(a), _interval(b)))


def _interval(values: _Values) -> tuple[float, float]:
    mean = mean_with_gaps(*values)
    assert mean is not None  # some of its numbers are known
    return mean.low, mean.high


def _filled(values: _Values, with_what: float) -> "NDArray[np.float64]":
    """The values, with the gaps filled as low as 0 or as high as 1, or as the lowest or the highest known value."""
    import numpy as np

    known = values.numbers[~values.gaps]
    extreme = min(with_what, known.min()) if with_what == 0.0 else max(with_what, known.max())
    return np.where(values.gaps, extreme, values.numbers)


def _matching(run: Columns) -> str:
    return describe_matching(Counter(labels.matched_by for labels in run.labels if labels.matched_by))


def _data(header: Header) -> str | None:
    data = header["identity"].get("data")
    return data.get("fingerprint") if data else None
