"""The worth of a confidence: whether it is true, tells right from wrong, and what answering less often gains.

Of questions with the same confidence none comes before another: each has its part of a bin, or of the surest share, as
if all of them stood at each of their places in turn. So no figure depends on the order of the questions.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from ...base import InputError
from ..journal.row import Row
from ..metrics.answer import f1 as f1_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RIGHT = 0.5
"""The least F1 of a right answer: readers write half of all right answers in other words than the set does."""
BINS = 10
"""The bins of a reliability diagram, of equally many questions each."""
POINTS = 20
"""The points of a risk-coverage curve: the surest 5 %, 10 %, and so on."""


class Bin(TypedDict):
    """The questions whose confidence is alike."""

    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that was answered right."""


class Coverage(TypedDict):
    """The surest answers, where the others are withheld."""

    coverage: float
    """Their share of all answers."""
    f1: float
    """Their mean F1; the risk is what it lacks to 1."""
    confidence: float
    """The least confidence among them: that of `abstain_below` with which only they are given."""


class ConfidenceFigures(TypedDict):
    """The worth of the confidence of a run's answers."""

    n: int
    """The answers that went in."""
    ece: float
    """The expected calibration error: the mean distance of confidence from the share that is right, over ten bins of
    equally many answers, or as many as there are answers; 0 at best."""
    brier: float
    """The mean squared distance of confidence from 1 for a right answer, and from 0 for a wrong one."""
    auroc: float | None
    """The probability that a right answer has a higher confidence than a wrong one, a tie counting half; None where
    all are right, or all wrong."""
    f1: float
    """The mean F1 of all answers."""
    f1_at_80: float
    """The mean F1 of the surest 80 %."""
    f1_at_50: float
    """The mean F1 of the surest 50 %."""
    risk_coverage_area: float
    """The mean, over every coverage, of what the surest answers' F1 lacks to 1; 0 at best."""
    bins: list[Bin]
    """The bins of the reliability diagram, from the least confidence to the highest."""
    curve: list[Coverage]
    """The points of the risk-coverage curve, from the surest twentieth to all."""


def confidence_figures(confidences: Sequence[float], right: Sequence[bool], f1: Sequence[float]) -> ConfidenceFigures:
    """The worth of these confidences.

    Args:
        confidences: The confidence of each answer, between 0 and 1.
        right: Whether it was right: see `RIGHT`.
        f1: Its F1.

    Examples:
        >>> from multihop.evaluation.report.confidence import confidence_figures
        >>> figures = confidence_figures([0.9, 0.8, 0.6, 0.3], [True, True, False, False], [1.0, 0.8, 0.4, 0.0])
        >>> figures["auroc"], round(figures["f1"], 2), round(figures["f1_at_50"], 2), round(figures["ece"], 2)
        (1.0, 0.55, 0.9, 0.3)

    Raises:
        InputError: There is no answer.
    """
    import numpy as np

    if not len(confidences):
        raise InputError("there is no answer with a confidence.")
    told, hits, scores = (np.asarray(each, dtype=np.float64) for each in (confidences, right, f1))
    n = len(told)
    edges = np.linspace(0, n, min(BINS, n) + 1)
    rising = _Ranked.of(told, {"confidence": told, "right": hits})
    binned = {name: np.diff(rising.sum_of(name, edges)) / np.diff(edges) for name in ("confidence", "right")}
    surest = _Ranked.of(-told, {"f1": scores})
    shares = np.arange(1, POINTS + 1) / POINTS
    counts = np.arange(1.0, n + 1)
    figures = {
        "ece": float(np.abs(binned["confidence"] - binned["right"]).mean()),
        "brier": float(((told - hits) ** 2).mean()),
        "f1": float(scores.mean()),
        "f1_at_80": surest.mean_of("f1", 0.8 * n),
        "f1_at_50": surest.mean_of("f1", 0.5 * n),
        "risk_coverage_area": float(1 - (surest.sum_of("f1", counts) / counts).mean()),
    }
    auroc = _auroc(rising, hits)
    return {
        "n": n,
        **{name: round(value, 6) for name, value in figures.items()},  # type: ignore[typeddict-item]
        "auroc": None if auroc is None else round(auroc, 6),
        "bins": [
            {"confidence": round(float(sure), 6), "right": round(float(share), 6)}
            for sure, share in zip(binned["confidence"], binned["right"], strict=True)
        ],
        "curve": [
            {
                "coverage": round(float(share), 6),
                "f1": round(surest.mean_of("f1", share * n), 6),
                "confidence": round(-surest.value_at(share * n), 6),
            }
            for share in shares
        ],
    }


def share_below(lower: Sequence[float], others: Sequence[float], share: float) -> float:
    """The share of `lower` below the highest value below which no more than this share of `others` lies.

    Of equal values each has an equal part below.

    Examples:
        >>> from multihop.evaluation.report.confidence import share_below
        >>> share_below([0.1, 0.2, 0.6, 0.9], [0.5, 0.7, 0.8, 0.9], 0.25)
        0.75
    """
    import numpy as np

    told = np.concatenate([np.asarray(lower, dtype=np.float64), np.asarray(others, dtype=np.float64)])
    of_others = np.arange(len(told)) >= len(lower)
    ranked = _Ranked.of(told, {"lower": (~of_others).astype(np.float64), "others": of_others.astype(np.float64)})
    rising, below = ranked.sums["others"] / len(others), ranked.sums["lower"] / len(lower)
    after = int(np.searchsorted(rising, share, side="right"))
    if after == len(rising):
        return float(below[-1])
    part = (share - rising[after - 1]) / (rising[after] - rising[after - 1])
    return float(below[after - 1] + part * (below[after] - below[after - 1]))


class _Ranked(NamedTuple):
    """Columns summed up in the order of a value, in which equal values share their places."""

    values: "NDArray[np.float64]"
    """The different values, rising."""
    ends: "NDArray[np.float64]"
    """0, and how many have each value or a lower one."""
    sums: "dict[str, NDArray[np.float64]]"
    """The sum of each column at each of these ends."""

    @classmethod
    def of(cls, by: "NDArray[np.float64]", columns: "dict[str, NDArray[np.float64]]") -> "_Ranked":
        """The columns in the order of `by`."""
        import numpy as np

        values, group, sizes = np.unique(by, return_inverse=True, return_counts=True)
        sums = {name: np.bincount(group, weights=column) for name, column in columns.items()}
        return cls(
            values,
            np.concatenate([[0.0], np.cumsum(sizes)]),
            {name: np.concatenate([[0.0], np.cumsum(each)]) for name, each in sums.items()},
        )

    def sum_of(self, column: str, counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """The column's sum over the first so many, which need not be a whole number."""
        import numpy as np

        return np.interp(counts, self.ends, self.sums[column])

    def mean_of(self, column: str, count: float) -> float:
        """The column's mean over the first so many."""
        import numpy as np

        return float(self.sum_of(column, np.array([count]))[0]) / count

    def value_at(self, count: float) -> float:
        """The value of the last of the first so many."""
        import numpy as np

        return float(self.values[int(np.searchsorted(self.ends[1:], count - 1e-9))])


def _auroc(rising: _Ranked, hits: "NDArray[np.float64]") -> float | None:
    """The share of pairs of a right and a wrong answer in which the right one is the surer; a tie is half a pair."""
    import numpy as np

    right = np.diff(rising.sums["right"])
    wrong = np.diff(rising.ends) - right
    if not right.sum() or not wrong.sum():
        return None
    wrong_below = np.concatenate([[0.0], np.cumsum(wrong)[:-1]])
    return float((right * (wrong_below + wrong / 2)).sum() / (right.sum() * wrong.sum()))


def f1_of_guess(row: Row, rules: str = "hotpotqa") -> float | None:
    """The F1 of the answer that a row's confidence is about: of the best guess, where the answer was withheld.

    Where the question cannot be answered, no answer is right, so that the best that a confidence can do is to be low;
    whether the program refused is counted elsewhere. None where no answer is known.

    Args:
        row: An answered question's row.
        rules: The set whose rules score a guess that was withheld.

    Examples:
        >>> from multihop.evaluation.report.confidence import f1_of_guess
        >>> row = {"answers": ["Ada Lovelace"], "answer": "I do not know", "metrics": {"f1": 0.0}, "best_guess": "Ada"}
        >>> f1_of_guess(row), f1_of_guess({**row, "answers": [], "answerable": False})
        (0.6666666666666666, 0.0)
    """
    if not row.get("answerable", True):
        return 0.0
    if "best_guess" not in row and "f1" in row["metrics"]:
        return row["metrics"]["f1"]
    guess = row.get("best_guess", row["answer"]) or ""
    return max((f1_of(guess, accepted, rules) for accepted in row["answers"]), default=None)
