import pytest

from multihop.base import InputError
from multihop.data.reading import Skipped, refuse


def test_nothing_is_left_out_unless_told():
    with pytest.raises(InputError, match="^line 1 is bad$"):
        refuse(InputError("line 1 is bad"))
    with pytest.raises(InputError, match="^line 1 is bad$"):
        Skipped()(InputError("line 1 is bad"))


def test_the_first_three_reasons_are_kept():
    skipped = Skipped(most=5)
    for number in range(1, 6):
        skipped(InputError(f"line {number} is bad."))
    assert (skipped.count, skipped.reasons) == (5, ["line 1 is bad.", "line 2 is bad.", "line 3 is bad."])
    assert str(skipped) == "5 bad records were left out, the first: line 1 is bad. line 2 is bad. line 3 is bad."
    with pytest.raises(InputError, match="line 6 is bad. That is one more than the 5 bad records to leave out"):
        skipped(InputError("line 6 is bad."))


def test_a_number_below_zero():
    with pytest.raises(InputError, match="must be 0 or more, not -1"):
        Skipped(most=-1)
