"""The paired difference of one metric in two runs: its mean, its interval, and a test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..report.statistics import Mean, bootstrap_means, fill_gaps, mean_with_gaps, permutation_p_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class PairedValues(NamedTuple):
    """A metric's values of one run, over the questions of both."""

    numbers: "NDArray[np.float64]"
    """NaN where the metric has none."""
    gaps: "NDArray[np.bool_]"
    """True where a question should have a number, and the metric failed."""


def find_difference(a: PairedValues, b: PairedValues, *, test: bool) -> Difference | None:
    """The difference over the questions that both runs have a number of; None where there are none.

    Args:
        a: The first run's values.
        b: The second run's values of the same questions, in the same order.
        test: Give a p-value.

    Examples:
        >>> import numpy as np
        >>> from multihop.evaluation.comparison.difference import PairedValues, find_difference
        >>> sure = np.zeros(3, dtype=bool)
        >>> right, wrong = (PairedValues(np.full(3, value), sure) for value in (1.0, 0.0))
        >>> found = find_difference(wrong, right, test=True)
        >>> found.change.mean, found.change.n, found.p_value
        (1.0, 3, 0.25)
    """
    known = ~(a.gaps | b.gaps)
    if not known.any():
        return None
    first, second = a.numbers[known], b.numbers[known]
    change = bootstrap_means({"": second - first})[""]
    if not known.all():  # as bad for the second run as it may be at the lower bound, and as good at the upper one
        (a_low, a_high), (b_low, b_high) = fill_gaps(*a), fill_gaps(*b)
        bounds = bootstrap_means({"low": b_low - a_high, "high": b_high - a_low})
        change = change._replace(low=bounds["low"].low, high=bounds["high"].high)
    p_value = permutation_p_value(second - first) if test and known.all() else None
    return Difference(float(first.mean()), float(second.mean()), change, p_value, (_interval(a), _interval(b)))


def _interval(values: PairedValues) -> tuple[float, float]:
    mean = mean_with_gaps(*values)
    assert mean is not None  # some of its numbers are known
    return mean.low, mean.high
