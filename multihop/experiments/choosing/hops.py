"""The hops of questions, as far as their set tells them."""

from collections.abc import Iterable

from ...data import Question


def mean_hops(questions: Iterable[Question]) -> float | None:
    """The mean number of hops, or of gold passages, of the questions that have either; None where none has.

    Examples:
        >>> from multihop import Question
        >>> from multihop.experiments.choosing.hops import mean_hops
        >>> asked = [Question(id=str(hops), question="Where?", answers=(), hops=hops) for hops in (0, 2, 3)]
        >>> mean_hops(asked), mean_hops(asked[:1])
        (2.5, None)
    """
    known = [hops for each in questions if (hops := each.hops or len(each.supporting))]
    return sum(known) / len(known) if known else None
