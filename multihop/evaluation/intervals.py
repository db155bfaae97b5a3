"""The 95 % interval of a mean: the one that every line, table, page and comparison shows.

Each is found from three sums, so that a run's progress can show the very interval of its report. None is given below
five questions: it would say little but "between 0 and 100". Equal values never give an interval of width 0, but for
counts. How often the intervals hold the true mean is simulated in the tests.
"""

import math
from typing import Literal

Kind = Literal["share", "change", "count"]
"""What is averaged: shares from 0 to 1, paired differences of shares from -1 to 1, or numbers of any size."""
FEWEST = 5
"""Fewer questions have no interval."""
Z = 1.959964
"""97.5 % of a normal distribution lie below."""


def kind_of(metric: str) -> Kind:
    """The kind of a metric's values: all are shares but K, the number of passages."""
    return "count" if metric == "K" else "share"


def interval_of(kind: Kind, n: int, total: float, squares: float, changed: int = 0) -> tuple[float, float] | None:
    """The interval of the mean of n values, from two sums (of changes, also how many are not 0); None for too few."""
    if n < FEWEST:
        return None
    if kind == "change":
        return _of_changes(n, total, squares, changed)
    return _of_shares(n, total, squares) if kind == "share" else _of_counts(n, total, squares)


def _of_shares(n: int, total: float, squares: float) -> tuple[float, float]:
    """Wilson's interval, which is narrower the less the values vary, compared with ones that are 0 or 1 alone.

    That ratio of variances is smoothed by one value that varies like them, as it is uncertain where values are few.
    """
    mean = total / n
    varies, at_most = squares - n * mean**2, n * mean * (1 - mean)
    step = Z**2 / n * (varies + 1) / (at_most + 1)
    centre, half = mean + step / 2, math.sqrt(step * mean * (1 - mean) + step**2 / 4)
    return max((centre - half) / (1 + step), 0.0), min((centre + half) / (1 + step), 1.0)


def _of_changes(n: int, total: float, squares: float, changed: int) -> tuple[float, float]:
    """The interval of Bonett and Price: the normal one, with one more question won and one more lost.

    These two change as much as the others that change do, with one of a whole point among them.
    """
    mean, one = total / (n + 2), (squares + 1) / (changed + 1)
    half = Z * math.sqrt(((squares + 2 * one) / (n + 2) - mean**2) / (n + 2))
    return max(mean - half, -1.0), min(mean + half, 1.0)


def _of_counts(n: int, total: float, squares: float) -> tuple[float, float]:
    """Student's interval; its quantile is the normal one with the first terms of Fisher's expansion."""
    free = n - 1
    student = Z + (Z**3 + Z) / (4 * free) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * free**2)
    student += (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * free**3)
    half = student * math.sqrt(max(squares - total**2 / n, 0.0) / free / n)
    return total / n - half, total / n + half
