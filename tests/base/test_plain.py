import pytest

from multihop import Budget, Passage
from multihop.base.plain import plain_value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, [2.5, None, True]), [1, [2.5, None, True]]),
        ({1: ("a",)}, {"1": ["a"]}),
        (Budget(calls=3), {"calls": 3, "tokens": None, "seconds": None, "usd": None}),
        ([Passage("p1", "Po", "A river.")], [["p1", "Po", "A river."]]),
        (Budget, str(Budget)),
        ({"a", "b"} - {"b"}, "{'a'}"),
    ],
)
def test_a_value_is_written_in_the_words_of_json(value, plain):
    assert plain_value(value) == plain


def test_what_json_has_no_word_for_is_made_as_asked():
    thing = object()
    assert plain_value([thing, Budget()], otherwise=lambda each: each)[0] is thing
