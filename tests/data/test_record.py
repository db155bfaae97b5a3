import pytest

from multihop.base import InputError
from multihop.data.record import Record


def record(**fields):
    return Record(fields, "file, line 3")


def test_text_takes_the_first_field_that_is_there():
    assert record(b="x", c="y").text("a", "b", "c") == "x"
    assert record(a=None, b="x").text("a", "b") == "x"
    assert record(a="").text("a", default="other") == ""
    assert record().text("a", default="other") == "other"


def test_a_missing_field_is_named_with_those_that_are_there():
    with pytest.raises(InputError, match=r"^file, line 3: no field 'id' or '_id'; the fields are x, y\.$"):
        record(x=1, y=2).text("id", "_id")


@pytest.mark.parametrize(
    ("value", "kind"), [(3, "a number"), (True, "true or false"), (["x"], "a list"), ({}, "an object")]
)
def test_text_of_another_kind(value, kind):
    with pytest.raises(InputError, match=f"'a' must be text, but is {kind}"):
        record(a=value).text("a")


def test_nul_and_half_a_surrogate_pair_are_refused():
    with pytest.raises(InputError, match="'a' holds a NUL character"):
        record(a="x\0y").text("a")
    with pytest.raises(InputError, match="'a' holds half of a surrogate pair"):
        record(a="x\ud83d").text("a")
    assert record(a="x\U0001f600").text("a") == "x\U0001f600"


def test_filled_refuses_blank():
    with pytest.raises(InputError, match="'question' is empty"):
        record(question=" \n").require_text("question")


def test_identifiers_may_be_whole_numbers():
    assert record(_id=0).identifier("id", "_id") == "0"
    assert record(id="q").identifier("_id", "id") == "q"
    with pytest.raises(InputError, match="'id' must be text, but is true or false"):
        record(id=True).identifier("id")
    with pytest.raises(InputError, match="'id' is empty"):
        record(id="").identifier("id")


def test_texts_check_every_item():
    assert record(a=["x", "y"]).texts("a") == ("x", "y")
    assert record().texts("a") == ()
    with pytest.raises(InputError, match=r"'a\[1\]' must be text, but is null"):
        record(a=["x", None]).texts("a")
    with pytest.raises(InputError, match="'a' must be a list, but is text"):
        record(a="Paris").texts("a")


def test_numbers_and_flags():
    assert record(n=4).integer("n") == 4
    assert record().integer("n", default=7) == 7
    assert record(f=False).flag("f", default=True) is False
    assert record(f=None).flag("f", default=True) is True
    assert record(ns=[1, 2]).integers("ns") == (1, 2)
    assert record().integers("ns") == ()
    with pytest.raises(InputError, match="'n' must be a whole number, but is text"):
        record(n="4").integer("n")
    with pytest.raises(InputError, match="'n' must be a whole number, but is true or false"):
        record(n=True).integer("n")
    with pytest.raises(InputError, match="'f' must be true or false, but is a number"):
        record(f=1).flag("f", default=True)
    with pytest.raises(InputError, match="'ns' must be a list of whole numbers"):
        record(ns=[1, "2"]).integers("ns")


@pytest.mark.parametrize(
    "layout",
    [
        [["Emma", 0], ["Jane", 2]],
        [{"title": "Emma", "sent": 0}, {"title": "Jane", "sent": 2}],
        {"title": ["Emma", "Jane"], "sent": [0, 2]},
        {"title": ["Emma", "Jane"], "sent": [0, 2], "unused": None},
        '[["Emma", 0], ["Jane", 2]]',
    ],
)
def test_every_layout_of_a_list_of_records(layout):
    items = record(facts=layout).records("facts", ("title", "sent"))
    assert [(item.text("title"), item.integer("sent")) for item in items] == [("Emma", 0), ("Jane", 2)]
    assert items[1].where == "file, line 3, facts[1]"


@pytest.mark.parametrize("nothing", [None, [], {}, {"title": [], "sent": []}, "[]"])
def test_no_records(nothing):
    assert record(facts=nothing).records("facts", ("title", "sent")) == []
    assert record().records("facts") == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([["Emma"]], r"'facts\[0\]' must be \[title, sent\], but is a list"),
        (["Emma"], r"'facts\[0\]' must be \[title, sent\], but is text"),
        ({"title": ["a", "b"], "sent": [1]}, "an object of lists of one length"),
        ({"title": "a"}, "an object of lists of one length"),
        ("not json", "'facts' is text that is not JSON"),
        (3, "'facts' must be a list, but is a number"),
    ],
)
def test_no_list_of_records(value, problem):
    with pytest.raises(InputError, match=problem):
        record(facts=value).records("facts", ("title", "sent"))


def test_plain_lists_need_columns():
    with pytest.raises(InputError, match=r"'facts\[0\]' must be an object, but is a list"):
        record(facts=[["Emma", 0]]).records("facts")


def test_nested():
    assert record(metadata={"type": "bridge"}).inner_record("metadata").text("type") == "bridge"
    assert record(metadata=None).inner_record("metadata").fields == {}
    with pytest.raises(InputError, match="'metadata' must be an object, but is a list"):
        record(metadata=[]).inner_record("metadata")
