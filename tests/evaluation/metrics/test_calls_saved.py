import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError
from multihop.evaluation.metrics import CallsSaved, metric_named


def prediction(calls):
    return dspy.Prediction(answer="x", cost={"calls": calls, "calls_by_role": {"think": calls - 1, "read": 1}})


@pytest.mark.parametrize(("calls", "saved"), [(0, 1.0), (3, 0.75), (12, 0.0), (20, 0.0)])
def test_calls_are_saved_of_the_most(calls, saved):
    assert CallsSaved(12).measure(None, prediction(calls)) == saved


@given(st.integers(1, 99), st.integers(0, 99), st.integers(0, 99))
def test_fewer_calls_are_never_worth_less(most, fewer, more):
    fewer, more = sorted((fewer, more))
    low, high = (CallsSaved(most).measure(None, prediction(calls)) for calls in (more, fewer))
    assert 0 <= low <= high <= 1


def test_it_does_not_apply_where_no_cost_is_told():
    assert CallsSaved(12).measure(None, dspy.Prediction(answer="x")) is None


def test_its_explanation_names_the_steps():
    score = CallsSaved(12)(dspy.Example(id="q"), prediction(3))
    assert (score.score, score.feedback) == (0.75, "3 of at most 12 calls were made: 2 of think, 1 of read.")


def test_it_is_named_with_its_number():
    metric = metric_named("calls-saved@12")
    assert (metric.name, metric.most) == ("calls-saved@12", 12)
    with pytest.raises(InputError, match="calls-saved@<n>"):
        metric_named("calls-saved")


@pytest.mark.parametrize("most", [0, -1, True, 1.5, "12"])
def test_other_numbers_are_refused(most):
    with pytest.raises(InputError, match="whole number of calls"):
        CallsSaved(most)
