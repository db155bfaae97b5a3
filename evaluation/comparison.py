"""Two runs side by side, question by question."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base import MismatchError
from ..runtime import Paid, total_paid
from .columns import Columns, Key
from .header import Header
from .journal import read_header, read_rows
from .matching import describe_matching
from .run_names import run_names
from .statistics import Mean, bootstrap_means, permutation_p_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSTS = ("calls", "tokens", "seconds")
EXACT = ("metrics", "em")
UNTESTED = ("K",)
"""More passages are neither better nor worse."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric in two runs, over the questions that both answered."""

    a: float
    """The first run's mean."""
    b: float
    """The second run's mean."""
    change: Mean
    """b - a, with the 95 % interval of the paired difference."""
    p_value: float | None
    """How often chance alone gives a difference this large; None for what is no measure of quality, such as "K"."""


@dataclass(frozen=True, slots=True)
class Comparison:
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
    cost: dict[str, tuple[float, float]]
    """Mean LM calls, tokens and seconds a question, in either run."""
    paid: tuple[Paid | None, Paid | None]
    """What either run paid, where it kept a bill; `cost` counts answers from the cache like any other."""
    recall: tuple[str, str]
    """How either run's recall came about, or why it has none."""
    simulated: bool
    """Whether the LM of either run knew the gold."""


def compare(a: str | os.PathLike[str], b: str | os.PathLike[str], *, different_data: bool = False) -> Comparison:
    """Pair the runs by question.

    Args:
        a: The first run's folder.
        b: The second run's folder.
        different_data: Compare what they have in common even if they were made on different question sets.

    Raises:
        InputError: A folder holds no run, the question sets differ, or the runs have no question in common.
    """
    headers = [read_header(folder) for folder in (a, b)]
    if _data(headers[0]) != _data(headers[1]) and not different_data:
        raise MismatchError(f"{a} and {b} were made on different questions, so their numbers cannot be compared.")
    first, second = (Columns(read_rows(folder)) for folder in (a, b))
    common = sorted(first.answer_counts.keys() & second.answer_counts.keys())
    if not common:
        raise MismatchError(f"{a} and {b} have no answered question in common.")
    sides = _Side(first, common), _Side(second, common)
    shared = _shared_metrics(first, second)
    unlike = _unlike_metrics(headers, shared)
    right = [_right(side, common, shared, unlike) for side in sides]
    return Comparison(
        names=run_names(headers, (a, b)),
        n=len(common),
        only=(len(first.answer_counts) - len(common), len(second.answer_counts) - len(common)),
        errors=(len(first) - len(first.answer_counts), len(second) - len(second.answer_counts)),
        metrics=_differences(sides, [key for key in shared if key[1] not in unlike]),
        unlike=unlike,
        gained=tuple(sorted(right[1] - right[0])),
        lost=tuple(sorted(right[0] - right[1])),
        cost={what: (sides[0].mean_cost(what), sides[1].mean_cost(what)) for what in COSTS},
        paid=(total_paid(a), total_paid(b)),
        recall=(_matching(first), _matching(second)),
        simulated=any(header.get("simulated", False) for header in headers),
    )


class _Side:
    """One of two runs, reduced to the questions that both answered."""

    def __init__(self, run: Columns, common: Sequence[str]) -> None:
        self._run = run
        self._which = [run.answer_counts[identifier] for identifier in common]

    def values(self, key: Key) -> "NDArray[np.float64]":
        """A column's values, in the order of the common questions."""
        values: NDArray[np.float64] = self._run[key][self._which]
        return values

    def mean_cost(self, what: str) -> float:
        """Calls, tokens or seconds a question; tokens come in several kinds, some of which a question may lack."""
        import numpy as np

        if what != "tokens":
            return float(self.values(("cost", what)).mean())
        return float(sum(np.nansum(self.values(key)) for key in self._run.of_kind("tokens")) / len(self._which))


def _shared_metrics(first: Columns, second: Columns) -> list[Key]:
    """The metrics that both runs measured."""
    names = {name for _, name in second.of_kind("metrics")}
    return [key for key in first.of_kind("metrics") if key[1] in names]


def _unlike_metrics(headers: Sequence[Header], shared: Iterable[Key]) -> tuple[str, ...]:
    """The metrics whose rules or versions differ."""
    first, second = (header["identity"].get("metrics", {}) for header in headers)
    return tuple(name for _, name in shared if first.get(name) != second.get(name))


def _differences(sides: tuple[_Side, _Side], keys: Iterable[Key]) -> dict[str, Difference]:
    """Metric by metric, over the questions to which it applies in both runs; none where there are no such questions."""
    import numpy as np

    differences = {}
    for key in keys:
        values = np.array([side.values(key) for side in sides])
        values = values[:, ~np.isnan(values).any(axis=0)]
        if values.size:
            differences[key[1]] = _difference(*values, test=key[1] not in UNTESTED)
    return differences


def _right(side: _Side, common: Sequence[str], shared: Sequence[Key], unlike: Sequence[str]) -> set[str]:
    """The questions that a run has right by exact match, where that can be compared."""
    if EXACT not in shared or EXACT[1] in unlike:
        return set()
    return {identifier for identifier, em in zip(common, side.values(EXACT), strict=True) if em == 1.0}


def _difference(a: "NDArray[np.float64]", b: "NDArray[np.float64]", *, test: bool) -> Difference:
    change = bootstrap_means({"change": b - a})["change"]
    return Difference(float(a.mean()), float(b.mean()), change, permutation_p_value(b - a) if test else None)


def _matching(run: Columns) -> str:
    return describe_matching(Counter(labels.matched_by for labels in run.labels if labels.matched_by))


def _data(header: Header) -> str | None:
    data = header["identity"].get("data")
    return data.get("fingerprint") if data else None
