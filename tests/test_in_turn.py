import pytest
from in_turn import AtOnce, InTurn

EXPECTED = InTurn("a", AtOnce("b", "b", "c"), "d")


@pytest.mark.parametrize("made", ["abbcd", "abcbd", "acbbd"])
def test_calls_at_once_may_come_in_any_order(made):
    assert list(made) == EXPECTED


@pytest.mark.parametrize(
    "made",
    ["babcd", "abbdc", "abccd", "abcd", "abbbcd", "abbcde", ""],
    ids=["out of its group", "out of turn", "another twice", "once too few", "once too often", "one more", "none"],
)
def test_anything_else_differs(made):
    assert list(made) != EXPECTED
