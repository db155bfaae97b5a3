import numpy as np

from multihop.evaluation.comparison import PairedValues, find_difference
from multihop.evaluation.statistics import Numbered, means_by_question


def values(numbers, gaps=()):
    return PairedValues(np.array(numbers), np.array([place in gaps for place in range(len(numbers))]))


def test_the_difference_is_the_second_less_the_first_with_an_exact_p_value():
    found = find_difference(values([0.0, 0.0, 1.0, 0.0]), values([1.0, 1.0, 1.0, 1.0]), test=True)
    assert (found.a, found.b, found.change.mean, found.change.n) == (0.25, 1.0, 0.75, 4)
    assert found.p_value == 2 / 2**3
    assert find_difference(values([0.0]), values([1.0]), test=False).p_value is None


def test_a_metric_that_failed_widens_the_interval_and_leaves_no_p_value():
    found = find_difference(values([0.0, 0.0]), values([1.0, np.nan], gaps=[1]), test=True)
    assert (found.change.mean, found.change.n, found.p_value) == (1.0, 1, None)
    assert (found.change.low, found.change.high) == (0.0, 1.0)
    assert find_difference(values([np.nan], gaps=[0]), values([1.0]), test=True) is None


def test_a_question_has_the_mean_of_its_answers_and_a_gap_where_one_of_them_has():
    first = Numbered(["q1", "q2", "q3"], np.array([0.0, 1.0, np.nan]), np.array([False, False, True]))
    second = Numbered(["q2", "q1"], np.array([0.0, np.nan]))
    found = means_by_question([first, second])
    assert found.ids == ["q1", "q2", "q3"]
    assert found.numbers[:2].tolist() == [0.0, 0.5]
    assert np.isnan(found.numbers[2])
    assert found.gaps.tolist() == [False, False, True]
