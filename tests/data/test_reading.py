import pytest

from multihop.base import InputError
from multihop.data.reading import Reading, Skipped, refuse


def numbers(on_bad):
    for number in range(5):
        if number == 2:
            on_bad(InputError("2 is bad"))
        else:
            yield number


def test_each_pass_starts_anew():
    reading = Reading(numbers, "numbers", skip_bad=1)
    assert [*reading, *reading] == [0, 1, 3, 4, 0, 1, 3, 4]
    assert (reading.skipped.count, reading.skipped.reasons) == (1, ["2 is bad"])


def test_two_passes_at_once_do_not_disturb_each_other():
    reading = Reading(numbers, "numbers", skip_bad=1)
    assert list(zip(reading, reading, strict=True)) == [(0, 0), (1, 1), (3, 3), (4, 4)]


def test_the_limit_counts_what_is_kept():
    reading = Reading(numbers, "numbers", limit=3, skip_bad=1)
    assert list(reading) == [0, 1, 3]
    assert repr(reading) == "<numbers, read anew each time>"


def test_it_is_opened_when_gone_through():
    opened = []

    def read(on_bad):
        opened.append(True)
        return iter("ab")

    reading = Reading(read, "letters")
    passes = iter(reading)
    assert opened == []
    assert list(passes) == ["a", "b"]
    assert opened == [True]


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
