"""What is read anew on each pass, and the bad records that are left out."""

import pytest

from multihop.base import InputError
from multihop.data.reading import Reading, Skipped


def numbers(on_bad):
    for number in range(5):
        if number == 2:
            on_bad(InputError("2 is bad"))
        else:
            yield number


def test_each_pass_starts_anew_also_beside_another():
    reading = Reading(numbers, "numbers", skip_bad=1)
    assert list(zip(reading, reading, strict=True)) == [(0, 0), (1, 1), (3, 3), (4, 4)]
    assert list(reading) == [0, 1, 3, 4]
    assert (reading.skipped.count, reading.skipped.reasons) == (1, ["2 is bad"])
    limited = Reading(numbers, "numbers", limit=3, skip_bad=1)
    assert (list(limited), repr(limited)) == ([0, 1, 3], "<numbers, read anew each time>")


def test_a_source_is_opened_when_it_is_gone_through():
    opened = []
    reading = iter(Reading(lambda on_bad: opened.append(True) or "ab", "letters"))
    assert opened == []
    assert list(reading) == ["a", "b"]


def test_as_many_as_was_said_are_left_out_and_the_first_three_reasons_kept():
    skipped = Skipped(most=5)
    for number in range(1, 6):
        skipped(InputError(f"line {number} is bad."))
    assert str(skipped) == "5 bad records were left out, the first: line 1 is bad. line 2 is bad. line 3 is bad."
    with pytest.raises(InputError, match="line 6 is bad. That is one more than the 5 bad records to leave out"):
        skipped(InputError("line 6 is bad."))
    with pytest.raises(InputError, match="^line 1 is bad$"):
        Skipped()(InputError("line 1 is bad"))
    with pytest.raises(InputError, match="must be 0 or more, not -1"):
        Skipped(most=-1)
