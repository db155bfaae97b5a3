"""The fields of a record: what is read under several names and in several shapes, and what is refused."""

import pytest

from multihop.base import InputError
from multihop.data.record import Record


def record(**fields):
    return Record(fields, "file, line 3")


def test_the_first_field_that_is_there_counts():
    assert record(a=None, b="x", c="y").text("a", "b", "c") == "x"
    assert [record(**given).text("a", default="other") for given in ({"a": ""}, {})] == ["", "other"]
    assert [record(id=value).identifier("_id", "id") for value in (0, 7.0, "q")] == ["0", "7", "q"]
    assert record().texts("a") == record().integers("a") == ()
    assert record().integer("n", default=7) == 7
    assert [record(f=value).flag("f", default=True) for value in (False, None)] == [False, True]
    assert record(metadata=None).inner_record("metadata").fields == {}
    for nothing in (None, [], {}, {"title": [], "sent": []}, "[]"):
        assert record(facts=nothing).records("facts", ("title", "sent")) == []


@pytest.mark.parametrize(
    "layout",
    [
        [["Emma", 0], ["Jane", 2]],
        [{"title": "Emma", "sent": 0}, {"title": "Jane", "sent": 2}],
        {"title": ["Emma", "Jane"], "sent": [0, 2], "unused": None},
        '[["Emma", 0], ["Jane", 2]]',
    ],
)
def test_every_layout_of_a_list_of_records(layout):
    items = record(facts=layout).records("facts", ("title", "sent"))
    assert [(item.text("title"), item.integer("sent")) for item in items] == [("Emma", 0), ("Jane", 2)]
    assert items[1].where == "file, line 3, facts[1]"


@pytest.mark.parametrize(
    ("read", "value", "problem"),
    [
        (Record.text, None, r"no field 'a'; the fields are a\."),
        (Record.text, True, "'a' must be text, but is true or false"),
        (Record.text, {}, "'a' must be text, but is an object"),
        (Record.text, "x\0y", "'a' holds a NUL character"),
        (Record.text, "x\ud83d", "'a' holds half of a surrogate pair"),
        (Record.require_text, " \n", "'a' is empty"),
        (Record.identifier, "", "'a' is empty"),
        (Record.texts, ["x", None], r"'a\[1\]' must be text, but is null"),
        (Record.texts, "Paris", "'a' must be a list, but is text"),
        (Record.integer, True, "'a' must be a whole number, but is true or false"),
        (Record.integers, [1, "2"], "'a' must be a list of whole numbers"),
        (Record.inner_record, [], "'a' must be an object, but is a list"),
        (Record.records, ["Emma"], r"'a\[0\]' must be an object, but is text"),
        (Record.records, {"title": ["a", "b"], "sent": [1]}, ".* an object of lists of one length"),
        (Record.records, "not json", "'a' is text that is not JSON"),
        (Record.records, 3, "'a' must be a list, but is a number"),
    ],
)
def test_what_is_of_another_kind_is_named(read, value, problem):
    with pytest.raises(InputError, match=f"^file, line 3: {problem}"):
        read(record(a=value), "a")
