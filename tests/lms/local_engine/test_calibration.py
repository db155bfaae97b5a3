import math

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import signatures
from multihop.base.batch_cache import BatchCache
from multihop.encoder import Judgement
from multihop.lms import Local, as_lm
from multihop.lms.local_engine.calibration import LEAST_SLOPE, SHIFT_PRIOR, SLOPE_PRIOR, Calibration, fit, log_odds
from multihop.lms.local_engine.roles import HELPS, ROLES


class Scripted:
    """An encoder that believes of each passage what the passage says: "enough 0.2"."""

    def __init__(self):
        self.judged = []
        self.judgements = BatchCache(99)

    def judge(self, pairs):
        return self.judgements.get(pairs, self.judge_new)

    def judge_new(self, pairs):
        self.judged.extend(pair.passage for pair in pairs)
        return [judgement(pair.passage) for pair in pairs]


def judgement(passage):
    words = passage.split()
    told = {name: float(words[words.index(name) + 1]) if name in words else 0.5 for name in ("relevant", "enough")}
    return Judgement(told["relevant"], 0.5, told["enough"], 0.5, 0.0, 0.0)


@pytest.fixture
def lm():
    engine = Local()
    engine.encoder = Scripted()
    return as_lm(engine, "local@scripted")


def review(lm, passage, demos=()):
    predictor = dspy.Predict(signatures.JudgePath)
    predictor.demos = [dspy.Example(demo) for demo in demos]
    with dspy.context(lm=lm):
        return predictor(question="q?", path=[passage])


def shown(passage, *, relevant=True, enough=False):
    return {"question": "d?", "path": [passage], "relevant": relevant, "enough": enough, "analysis": ""}


def test_without_cases_nothing_is_moved():
    assert fit([]) == fit([], 0.1) == Calibration(1.0, 0.0)
    assert [Calibration().move(odds) for odds in (-9.2, 0.0, 0.1)] == [-9.2, 0.0, 0.1]


def test_one_case_moves_to_where_gain_and_prior_are_equal():
    """Of one case that is yes, two thirds are chosen to be yes: the shift is where its slope is that of the prior."""
    shift = fit([(-2.0, 1.0)]).shift
    expected = 1 - 1 / (1 + math.exp(-(-2.0 + shift + math.log(2))))
    assert shift / SHIFT_PRIOR**2 == pytest.approx(expected, abs=1e-6)
    assert fit([(-2.0, 1.0)]).slope == 1.0
    assert fit([(2.0, 0.0)]).shift == pytest.approx(-shift, abs=1e-6)


def test_a_slope_is_where_both_gains_are_those_of_the_prior():
    cases = [(-4.0, 1.0), (-1.0, 0.0), (1.0, 1.0), (4.0, 0.0)]
    slope, shift = fit(cases)
    missed = [(odds, right - 1 / (1 + math.exp(-(slope * odds + shift)))) for odds, right in cases]
    assert sum(each for _, each in missed) == pytest.approx(shift / SHIFT_PRIOR**2, abs=1e-5)
    assert sum(odds * each for odds, each in missed) == pytest.approx((slope - 1) / SLOPE_PRIOR**2, abs=1e-4)
    assert slope < 1


def test_many_cases_outweigh_the_prior():
    """Of cases at -3 as many are yes as no: there the calibrated odds are even."""
    moved = fit([(-3.0, 1.0), (-3.0, 0.0)] * 500)
    assert moved.move(-3.0) == pytest.approx(0.0, abs=0.05)


def test_who_chose_the_cases_is_set_off():
    """Half the cases are yes, where one in ten is: cases that would otherwise change nothing ask for more."""
    cases = [(0.0, 1.0), (0.0, 0.0)] * 500
    assert fit(cases).shift == pytest.approx(0.0, abs=1e-6)
    assert fit(cases, 0.1).shift == pytest.approx(math.log(1 / 9), abs=0.05)


def test_cases_that_all_say_the_same_move_little_where_the_encoder_agrees():
    agreed = [(3.0, 1.0)] * 15
    assert abs(fit(agreed).shift) < 0.05
    assert fit([(-1.0, 1.0)] * 3).shift < 1


@given(st.lists(st.tuples(st.floats(-9.3, 9.3), st.sampled_from([0.0, 1.0])), max_size=15))
def test_every_set_of_cases_is_fitted_and_keeps_the_order(cases):
    slope, shift = fit(cases)
    assert slope >= LEAST_SLOPE
    assert math.isfinite(shift)
    assert fit(cases) == (slope, shift)


def test_a_decision_flips_where_demonstrations_contradict_it(lm):
    assert review(lm, "enough 0.6").enough is True
    stricter = [shown(f"enough 0.{number}", enough=False) for number in (70, 75, 80)]
    both = [*stricter, shown("enough 0.97", enough=True), shown("enough 0.98", enough=True)]
    assert review(lm, "enough 0.6", both).enough is False
    assert review(lm, "enough 0.97", both).enough is True


def test_demonstrations_that_agree_change_no_decision(lm):
    agreeing = [
        shown("enough 0.95", enough=True),
        shown("enough 0.05"),
        shown("relevant 0.05 enough 0.02", relevant=False),
    ]
    for number in range(1, 20):
        passage = f"relevant {number / 20} enough {1 - number / 20}"
        before, after = review(lm, passage), review(lm, passage, agreeing)
        if abs(number / 20 - 0.5) > 0.2:
            assert after.enough == before.enough
        if abs(number / 20 - HELPS) > 0.2:
            assert after.relevant == before.relevant


def test_the_odds_are_calibrated_before_they_are_compared_with_the_least():
    role = ROLES["relevant"]
    assert role.least == HELPS
    assert log_odds(HELPS) == pytest.approx(math.log(1 / 9))


def test_each_set_of_demonstrations_is_read_once(lm, monkeypatch):
    fitted = []
    monkeypatch.setattr("multihop.lms.local_engine.local.fit", lambda *given: fitted.append(given) or fit(*given))
    first = [shown("enough 0.7"), shown("enough 0.9", enough=True)]
    for number in range(3):
        review(lm, f"enough 0.{number}1", first)
    judged = lm.engine.encoder.judged
    assert [judged.count(demo["path"][0]) for demo in first] == [1, 1]
    assert [[right for _, right in cases] for cases, _ in fitted] == [[1.0, 1.0], [0.0, 1.0]]  # relevant, enough
    review(lm, "enough 0.5", first[:1])
    assert [len(cases) for cases, _ in fitted] == [2, 2, 1, 1]


def test_whether_to_finish_and_which_account_is_better_are_decisions_too():
    names = ("actions", "action", "thoughts", "result", "first_better", "score")
    taught = {name: ROLES[name].probability_of for name in names}
    assert [taught["actions"](value) for value in (["finish: Ada"], ["search: who?"], [])] == [1.0, 0.0, None]
    assert [taught["action"](value) for value in ("finish", "search", "wait")] == [1.0, 0.0, None]
    assert [taught["result"](value) for value in ("Ada", "", "not found")] == [1.0, 0.0, 0.0]
    assert [taught["thoughts"](value) for value in (["So the answer is Ada."], ["Who?"], [])] == [1.0, 0.0, None]
    assert [taught["first_better"](value) for value in (True, False, "?")] == [1.0, 0.0, None]
    assert taught["score"]("7/10") == 0.7
