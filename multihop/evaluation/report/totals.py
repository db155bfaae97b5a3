"""Sums over several runs, which do not hide what is not known."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from .summary import Summary

Number = TypeVar("Number", int, float)


def total(numbers: Iterable[Number | None]) -> Number | None:
    """The sum; None where one of them is not known.

    Examples:
        >>> from multihop.evaluation.report.totals import total
        >>> total([1, 2]), total([1, None]), total([])
        (3, None, 0)
    """
    listed = list(numbers)
    known = [number for number in listed if number is not None]
    return sum(known) if len(known) == len(listed) else None


def total_unmeasured(summaries: Iterable[Summary]) -> dict[str, int]:
    """The answers of all runs on which a metric failed, by its name."""
    return dict(sum((Counter(summary.get("unmeasured", {})) for summary in summaries), Counter[str]()))
