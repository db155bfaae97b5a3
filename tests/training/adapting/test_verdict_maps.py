import numpy as np
import pytest

from multihop import Passage, Question
from multihop.encoder import Judgement
from multihop.training.adapting.verdict_maps import JUDGE, Pool, fit, log_worth

PAGES = [Passage(each, "", f"Page {each}.") for each in "abc"]


def pool(*relevant):
    judged = [Judgement(each, 0.5, 0.5, 0.5, 0.0, 0.0) for each in relevant]
    return Pool(Question(id="q", question="?", answers=(), supporting=("c",)), PAGES, judged)


def test_weights_that_few_questions_speak_against_stay_as_they_are():
    said = np.array([[2.0], [-2.0]])
    weight, _ = fit(said, np.array([False, True]), [1.0])
    assert weight == pytest.approx(1.0, abs=0.3)
    weight, bias = fit(np.repeat(said, 500, axis=0), np.repeat([False, True], 500), [1.0])
    assert weight < -0.5
    assert bias == pytest.approx(0.0, abs=1e-3)


def test_a_verdict_that_is_right_as_often_as_it_says_stays():
    dice = np.random.default_rng(0)
    said = dice.normal(size=(5000, 1)) * 2
    gold = dice.random(5000) < 1 / (1 + np.exp(-said[:, 0]))
    assert fit(said, gold, [1.0]) == pytest.approx([1.0, 0.0], abs=0.1)


def test_a_pool_is_ranked_as_the_method_ranks_it():
    judged = pool(0.5, 0.5, 0.9)
    assert judged.gold == [False, False, True]
    odds = JUDGE.features(judged) @ np.array(JUDGE.usual)
    assert JUDGE.ranked(judged, odds) == ["c", "a", "b"]
    assert JUDGE.ranked(judged, np.array([-9.0, 9.0])) == ["b", "a", "c"]
    assert np.exp(log_worth(np.array([-99.0, 0.0, 99.0]))) == pytest.approx([0.1, 0.55, 1.0])
