import math

import numpy as np
import pytest

from multihop.evaluation.intervals import interval_of
from multihop.evaluation.statistics import mean_of

SAMPLES = 4_000


def ends_of(kind, values):
    squares, changed = sum(value**2 for value in values), sum(value != 0 for value in values)
    return interval_of(kind, len(values), float(sum(values)), float(squares), changed)


@pytest.mark.parametrize("n", [5, 20, 100, 400])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.98])
def test_intervals_of_zeros_and_ones_hold_the_true_share_as_often_as_they_say(n, p):
    """Counted over all outcomes. Of five questions, an interval that leaves out 2 % at one hit in five covers 90.4 %,
    and one that holds it 99.6 %: nothing lies between."""
    covered = sum(
        math.comb(n, hits) * p**hits * (1 - p) ** (n - hits)
        for hits in range(n + 1)
        if (ends := ends_of("share", [1.0] * hits + [0.0] * (n - hits))) and ends[0] <= p <= ends[1]
    )
    assert (0.90 if n == 5 else 0.92) <= covered <= 0.98


@pytest.mark.parametrize("n", [5, 20, 100, 400])
@pytest.mark.parametrize(
    ("kind", "population", "most"),
    [
        ("share", [0.0] * 45 + [1.0] * 35 + [0.2, 0.3, 0.4, 0.5, 0.67, 0.67, 0.8] * 3, 0.98),  # F1
        ("share", [0.0] * 10 + [0.5] * 40 + [1.0] * 50, 0.985),  # recall of two pages
        ("change", [0.0] * 50 + [1.0] * 30 + [-1.0] * 20, 1.0),  # exact match of two runs
        ("change", [0.0] * 50 + [0.3, 0.5, 1.0] * 10 + [-0.4, -1.0] * 10, 1.0),  # F1 of two runs
        ("count", [1.0, 2.0, 3.0, 4.0, 9.0], 0.98),
    ],
)
def test_intervals_of_other_values_hold_the_true_mean_as_often_as_they_say(kind, population, most, n):
    drawn = np.random.default_rng(0).choice(population, (SAMPLES, n))
    ends = [interval_of(kind, n, float(row.sum()), float(row @ row), np.count_nonzero(row)) for row in drawn]
    true = float(np.mean(population))
    covered = sum(low <= true <= high for low, high in ends) / SAMPLES
    assert (0.88 if kind == "count" and n == 5 else 0.92) <= covered <= most


def test_equal_shares_and_changes_are_not_sure():
    assert ends_of("share", [0.0] * 5) == pytest.approx((0.0, 0.434482), abs=1e-6)  # Wilson's
    assert ends_of("share", [1.0] * 20) == pytest.approx((0.838875, 1.0), abs=1e-6)
    low, high = ends_of("share", [0.5] * 20)
    assert low < 0.46
    assert high > 0.54
    low, high = ends_of("change", [0.0] * 20)
    assert low == -high
    assert high > 0.1


def test_counts_have_students_interval():
    assert ends_of("count", [1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx((1.0368, 4.9632), abs=0.01)
    assert ends_of("count", [5.0] * 8) == (5.0, 5.0)


def test_below_five_questions_there_is_no_interval():
    assert ends_of("share", [1.0, 0.0, 1.0, 0.0]) is None
    assert mean_of("share", np.array([1.0, np.nan, 0.0])) == (0.5, None, None, 2)
    assert mean_of("share", np.array([np.nan] * 3)) is None


def test_shares_beyond_zero_and_one_are_treated_as_counts():
    numbers = np.array([0.0, 1.0, 2.0, 7.0, 5.0])
    assert mean_of("share", numbers) == mean_of("count", numbers)


def test_of_several_runs_the_questions_are_what_is_drawn():
    """Asking the same questions again makes nothing surer over other questions."""
    once = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    one, three = mean_of("share", once), mean_of("share", np.array([once] * 3))
    assert three == one._replace(n=18)


def test_what_a_metric_failed_on_widens_the_interval_at_both_ends():
    numbers, gaps = np.array([1.0] * 6 + [0.0] * 3 + [np.nan]), np.array([False] * 9 + [True])
    found = mean_of("share", numbers, gaps)
    assert found.low == mean_of("share", np.array([1.0] * 6 + [0.0] * 4)).low
    assert found.high == mean_of("share", np.array([1.0] * 7 + [0.0] * 3)).high
    assert (found.mean, found.n) == (pytest.approx(6 / 9), 9)
