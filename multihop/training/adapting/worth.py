"""The worth of rankings before and after something was learned, question by question."""

from collections.abc import Collection, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from ...data import Question

PLACES = 10
"""First places of a ranking that count."""
SHOWN = 5
"""Places of the recall that is told."""
ERRORS = 1.0
"""Standard errors that a gain must be above zero."""
LEAST = 0.1
"""The least gain, of 100."""


class Worth(NamedTuple):
    """The same questions ranked in two ways."""

    questions: int
    before: float
    """The recall among the first five, of 100."""
    after: float
    gain: float
    """The mean gain over all of the first ten places, of 100: a page that comes nearer counts."""
    error: float
    """Its standard error."""

    @property
    def is_better(self) -> bool:
        """True if the gain is one, and more than its standard error."""
        return self.gain > max(LEAST, ERRORS * self.error)


def recall(question: Question, found: Sequence[str], places: int) -> float:
    """The share of the gold pages among the first places.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.training.adapting.worth import recall
        >>> recall(Question(id="q", question="?", answers=(), supporting=("a", "b")), ["a", "c"], 2)
        0.5
    """
    gold = set(question.supporting)
    return len(gold.intersection(found[:places])) / len(gold)


def nearness(question: Question, found: Sequence[str]) -> float:
    """The mean recall over all of the first ten places."""
    return fmean(recall(question, found, places) for places in range(1, PLACES + 1))


def worth(questions: Sequence[Question], before: Collection[Sequence[str]], after: Collection[Sequence[str]]) -> Worth:
    """The worth of two rankings of each question, as ids of pages.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.training.adapting.worth import worth
        >>> asked = [Question(id="q", question="?", answers=(), supporting=("a",))] * 9
        >>> told = worth(asked, [["b", "a"]] * 9, [["a", "b"]] * 9)
        >>> told.before, told.after, round(told.gain, 1), told.is_better
        (100.0, 100.0, 10.0, True)
    """
    gains = [
        nearness(question, new) - nearness(question, old)
        for question, old, new in zip(questions, before, after, strict=True)
    ]
    first, then = (
        fmean(recall(question, found, SHOWN) for question, found in zip(questions, rankings, strict=True))
        for rankings in (before, after)
    )
    error = stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else 0.0
    return Worth(len(gains), 100 * first, 100 * then, 100 * fmean(gains), 100 * error)
