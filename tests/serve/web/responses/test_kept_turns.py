import pytest

from multihop import Turn
from multihop.serve.web.responses.kept_turns import KeptTurns, UnknownResponse


def test_as_much_is_kept_as_is_read():
    kept = KeptTurns()
    kept.keep("r", [Turn(str(number), f"a\n{'b' * 600}") for number in range(5)])
    assert kept.get("r") == [Turn(str(number), f"a {'b' * 498}") for number in (2, 3, 4)]
    assert kept.get(None) == []


def test_who_was_longest_not_gone_on_from_is_forgotten_first():
    kept = KeptTurns(most=2)
    kept.keep("one", [Turn("1")])
    kept.keep("two", [Turn("2")])
    assert kept.get("one") == [Turn("1")]
    kept.keep("three", [Turn("3")])
    assert (kept.get("one"), kept.get("three")) == ([Turn("1")], [Turn("3")])
    with pytest.raises(UnknownResponse, match="no response 'two' is kept here"):
        kept.get("two")
