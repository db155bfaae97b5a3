import itertools

import numpy as np
import pytest
from counting import calls_made
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.evaluation.statistics import RunningMean, bootstrap_means, permutation_p_value

SMALL = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=8)


def test_intervals_hold_the_mean_and_narrow_with_size():
    random = np.random.default_rng(1)
    few, many = (bootstrap_means({"em": random.integers(0, 2, n).astype(float)})["em"] for n in (50, 5000))
    for found in (few, many):
        assert found.low < found.mean < found.high
    assert few.high - few.low == pytest.approx(2 * 1.96 * 0.5 / 50**0.5, rel=0.25)
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 5000**0.5, rel=0.25)


def test_the_interval_covers_the_truth_about_95_times_in_100():
    random, covered = np.random.default_rng(2), 0
    for _ in range(100):
        found = bootstrap_means({"x": (random.random(60) < 0.3).astype(float)})["x"]
        covered += found.low <= 0.3 <= found.high
    assert 88 <= covered <= 100


@pytest.mark.parametrize("size", [60, 400])
def test_a_running_interval_is_nearly_that_of_the_resamples(size):
    values = (np.random.default_rng(4).random(size) < 0.3) * np.random.default_rng(5).choice([0.5, 1.0], size)
    running = RunningMean()
    for value in values:
        running.add(float(value))
    found = bootstrap_means({"f1": values})["f1"]
    assert running.mean == pytest.approx(found.mean)
    assert 2 * running.half == pytest.approx(found.high - found.low, rel=0.1)


def test_few_equal_values_are_never_sure():
    running = RunningMean()
    for _ in range(3):
        running.add(1.0)
    assert running.half == pytest.approx(1.96 * (5 / 7 * 2 / 7 / 7) ** 0.5)


def test_what_does_not_apply_is_left_out():
    found = bootstrap_means({"a": np.array([1.0, np.nan, 0.0]), "b": np.array([np.nan] * 3)})
    assert found["a"].n == 2
    assert found["a"].mean == 0.5
    assert "b" not in found


def test_ten_times_the_questions_and_metrics_take_no_more_steps():
    def steps(metrics, questions):
        values = np.random.default_rng(0).random((metrics, questions))
        return calls_made(lambda: bootstrap_means({str(place): column for place, column in enumerate(values)}))

    few = steps(1, 100)
    assert steps(1, 1000) < 1.5 * few  # numpy has all questions at once,
    assert steps(10, 100) < 10 * few  # and all metrics


@given(SMALL)
@settings(max_examples=60)
def test_small_permutation_tests_count_every_sign_pattern(differences):
    changed = [d for d in differences if d]
    patterns = list(itertools.product([-1, 1], repeat=len(changed)))
    sums = [abs(sum(s * d for s, d in zip(signs, changed, strict=True))) for signs in patterns]
    expected = sum(total >= abs(sum(changed)) - 1e-9 for total in sums) / len(sums)
    assert permutation_p_value(np.array(differences)) == pytest.approx(expected)


def test_large_permutation_tests_tell_noise_from_a_difference():
    random = np.random.default_rng(3)
    assert permutation_p_value(random.normal(0, 1, 200)) > 0.01
    assert permutation_p_value(random.normal(0.5, 1, 200)) < 0.001
    assert permutation_p_value(np.zeros(50)) == 1.0
