"""The numbers of runs that asked the same questions, question by question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .statistics import mean_with_gaps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    """One number for each question: its mean over the runs. There is a gap where any of its answers has one.

    Examples:
        >>> import numpy as np
        >>> from multihop.evaluation.report.repeated_values import Numbered, means_by_question
        >>> runs = [Numbered(["q1", "q2"], np.array([0.0, 1.0])), Numbered(["q2", "q1"], np.array([0.5, 0.0]))]
        >>> found = means_by_question(runs)
        >>> found.ids, found.numbers.tolist()
        (['q1', 'q2'], [0.0, 0.75])
    """
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
