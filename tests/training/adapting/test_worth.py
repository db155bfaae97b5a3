import pytest

from multihop import Question
from multihop.training.adapting.worth import nearness, recall, worth

ASKED = Question(id="q", question="?", answers=(), supporting=("a", "b"))


def test_nearness_counts_every_place():
    assert nearness(ASKED, ["a", "b"]) == pytest.approx(0.95)
    assert nearness(ASKED, [*"123456789", "a"]) == pytest.approx(0.05)
    assert nearness(ASKED, []) == 0
    assert recall(ASKED, ["a", "x", "b"], 2) == 0.5


def test_a_gain_must_be_more_than_chance():
    near, far = ["a", "b"], ["x", "y", "a", "b"]
    assert worth([ASKED] * 4, [far] * 4, [near] * 4).is_better
    assert not worth([ASKED] * 4, [near] * 4, [near] * 4).is_better
    assert not worth([ASKED] * 4, [near] * 4, [far] * 4).is_better
    mixed = worth([ASKED] * 4, [far, near, near, near], [near, near, near, near])
    assert (mixed.gain, mixed.error) == (pytest.approx(5), pytest.approx(5))
    assert not mixed.is_better
    assert not worth([ASKED] * 4, [far, near, near, near], [near, far, near, near]).is_better
