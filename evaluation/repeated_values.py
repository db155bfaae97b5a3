"""The numbers of runs that asked the same questions, question by question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .statistics import bootstrap_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbered = tuple[Sequence[str], "NDArray[np.float64]"]
"""The ids of a run's questions, and the number of each; NaN where it has none."""


class RepeatedMean(NamedTuple):
    """A mean over several runs."""

    mean: float
    """Over all answers of all runs."""
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


def mean_of_repeats(runs: Sequence[Numbered]) -> RepeatedMean | None:
    """What the runs come to together; None where none of them has a number.

    Questions are resampled, each with its answers from all runs, so that the interval says how sure the mean is over
    other questions, and the lowest and the highest run how much it hangs on the draw.

    Examples:
        >>> import numpy as np
        >>> from multihop.evaluation.repeated_values import mean_of_repeats
        >>> found = mean_of_repeats([(["a", "b"], np.array([1.0, 0.0])), (["b", "a"], np.array([1.0, 1.0]))])
        >>> found.mean, found.low, found.high, found.lowest, found.highest, found.n
        (0.75, 0.5, 1.0, 0.5, 1.0, 2)
    """
    import numpy as np

    table = _by_question(runs)
    means = bootstrap_means({"": table})
    if not means:
        return None
    alone = [float(np.nanmean(run)) for run in table.T if not np.isnan(run).all()]
    found, answered = means[""], ~np.isnan(table).all(axis=1)
    return RepeatedMean(found.mean, found.low, found.high, min(alone), max(alone), int(answered.sum()))


def _by_question(runs: Sequence[Numbered]) -> "NDArray[np.float64]":
    """A row for each question, in the order of the ids, and a column for each run."""
    import numpy as np

    places = {name: place for place, name in enumerate(sorted({name for ids, _ in runs for name in ids}))}
    table = np.full((len(places), len(runs)), np.nan)
    for column, (ids, numbers) in enumerate(runs):
        table[[places[name] for name in ids], column] = numbers
    return table
