import math

import pytest

from multihop.base import InputError
from multihop.runtime.grounds.confidence import USUAL, Calibration, Weight
from multihop.runtime.grounds.signals import Signals


def test_a_confidence_is_the_logistic_curve_of_weighed_signals():
    calibration = Calibration({"complete": Weight(1.5, mean=0.4, scale=0.5), "echo": Weight(-1.0)}, bias=0.25)
    assert calibration.confidence({"complete": 0.9, "echo": 1.0}) == pytest.approx(1 / (1 + math.exp(-0.75)))
    assert calibration.confidence({"complete": 0.4}) == pytest.approx(1 / (1 + math.exp(-0.25)))
    assert calibration.confidence({"words": 3.0}) == calibration.confidence({})  # one without a weight


def test_a_confidence_is_never_quite_0_or_1_however_large_a_signal():
    calibration = Calibration({"span": Weight(5.0, scale=1e-9)}, bias=0.0)
    assert 0 < calibration.confidence({"span": -12.0}) < 1e-12
    assert 1 - 1e-12 < calibration.confidence({"span": 12.0}) < 1


def test_a_signal_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(InputError, match=r"unknown signal 'luck'.*complete"):
        Calibration({"luck": Weight(1.0)}, bias=0.0)


def test_the_usual_confidence_knows_signals_alone_and_says_that_it_is_not_fitted():
    assert USUAL.weights.keys() <= Signals.__annotations__.keys()
    assert (USUAL.questions, USUAL.lm) == (0, "")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"complete": 3.0}, {"complete": -3.0}),
        ({"second": 1.0}, {"second": -4.0}),
        ({"margin": 4.0}, {"margin": -4.0}),
        ({"agreement": 1.0}, {"agreement": 0.0}),
        ({"refused": 0.0}, {"refused": 1.0}),
        ({"over_budget": 0.0}, {"over_budget": 1.0}),
    ],
)
def test_the_usual_confidence_prefers_what_speaks_for_an_answer(better, worse):
    assert USUAL.confidence(better) > USUAL.confidence(worse)
