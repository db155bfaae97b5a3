import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_runs import plain_row

from multihop.evaluation.statistics import Values, arrays_of, means_by_question, permutation_p_value

SMALL = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=8)


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


def test_numbers_stand_in_the_order_of_the_ids():
    b, c = plain_row("b", metrics={"em": 0.0, "recall@5": None}), plain_row("c", metrics={"recall@5": 0.5})
    run = arrays_of([b, plain_row("a", calls=3), c])
    assert run.ids == ["a", "b", "c"]
    assert run.metrics["em"].tolist()[:2] == [1.0, 0.0]
    assert [math.isnan(value) for value in run.metrics["recall@5"]] == [True, True, False]
    assert run.calls_by_role["answer"].tolist() == [3.0, 2.0, 2.0]
    assert run.tokens["m", "in"].tolist() == [30.0, 20.0, 20.0]
    assert list(run.metrics) == ["em", "recall@5"]


def test_of_a_question_asked_again_only_the_last_row_is_left():
    run = arrays_of([plain_row("a", "error", metrics={"old": 1.0}), plain_row("b"), plain_row("a")])
    assert len(run.ids) == 2
    assert run.labels[0].status == "ok"
    assert run.labels[0].error == ""
    assert math.isnan(run.metrics["old"][0])
    assert run.metrics["em"].tolist() == [1.0, 1.0]


@given(st.permutations(range(6)))
def test_the_order_of_the_rows_is_not_seen(order):
    rows = [plain_row(f"q{i}", metrics={"em": i / 6}, type="even" if i % 2 else "odd") for i in range(6)]
    straight, shuffled = arrays_of(rows), arrays_of([rows[i] for i in order])
    assert straight.metrics["em"].tolist() == shuffled.metrics["em"].tolist()
    assert straight.labels == shuffled.labels


def test_a_question_has_the_mean_of_its_answers_and_a_gap_where_one_of_them_has():
    first = Values(["q1", "q2", "q3"], np.array([0.0, 1.0, np.nan]), np.array([False, False, True]))
    second = Values(["q2", "q1"], np.array([0.0, np.nan]), np.zeros(2, dtype=bool))
    found = means_by_question([first, second])
    assert found.ids == ["q1", "q2", "q3"]
    assert found.numbers[:2].tolist() == [0.0, 0.5]
    assert np.isnan(found.numbers[2])
    assert found.gaps.tolist() == [False, False, True]
