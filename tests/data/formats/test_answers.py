import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data.files.record import Record
from multihop.data.formats.answers import read_answers


def read(value):
    return read_answers(Record({"answer": value}, "mine.csv, line 2"), "answer")


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("Ada", ("Ada",)),
        (["Ada", "Ada Lovelace", "Ada"], ("Ada", "Ada Lovelace")),
        (("Ada",), ("Ada",)),
        ('["Ada", "O\'Hara"]', ("Ada", "O'Hara")),
        ("['Ada', \"O'Hara\"]", ("Ada", "O'Hara")),
        ("[Ada]", ("[Ada]",)),
        (['["Ada"]'], ('["Ada"]',)),
        ("[1, 2]", ("[1, 2]",)),
        (1843, ("1843",)),
        (1843.0, ("1843",)),
        (0.5, ("0.5",)),
        (True, ("yes",)),
        (False, ("no",)),
        (None, ()),
        (float("nan"), ()),
        (" ", ()),
        ([], ()),
        (["Ada", None], ("Ada",)),
        (np.array(["Ada", "Grace"]), ("Ada", "Grace")),
        (np.float64(3.0), ("3",)),
        ({"text": ["Ada", "Grace"], "answer_start": [1, 5]}, ("Ada", "Grace")),
        ([{"text": "Ada", "answer_start": 1}], ("Ada",)),
        ({"value": "Ada", "aliases": ["Ada Lovelace"], "type": "Person"}, ("Ada", "Ada Lovelace")),
        ([{"answer": "Ada", "provenance": []}, {"provenance": []}], ("Ada",)),
    ],
)
def test_every_shape_of_answers(value, answers):
    assert read(value) == answers


def test_the_first_field_with_an_answer_counts():
    record = Record({"answers": [], "answer": "Ada", "gold": "Grace"}, "")
    assert read_answers(record, "answers", "answer", "gold") == ("Ada",)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"start": 3}, "'answer' must be text or a list, or an object with text or value or answer"),
        (["Ada", {1, 2}], r"'answer\[1\]' must be text or a list of texts, but is set"),
        ("A\0B", "'answer' holds a NUL character"),
    ],
)
def test_what_is_no_answer(value, problem):
    with pytest.raises(InputError, match=f"mine.csv, line 2: {problem}"):
        read(value)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip), unique=True)
)
def test_lists_come_back_from_the_text_that_python_prints(answers):
    assert read(str(answers)) == read(answers) == tuple(answers)
