import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import Budget, Passage
from multihop.base.texts import plain_value, visible, visible_json

ATTACKS = ["\x1b]52;c;Y3VybA==\x07", "\x1b[2J\x1b[H", "\x1bP+q\x1b\\", "\x9b2J", "\x9d0;title\x9c", "a\rb", "\x08\x7f"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_commands_a_terminal_is_seen_instead(attack):
    shown = visible(f"Emma{attack}")
    assert shown.isprintable()
    assert len(shown) == len(attack) + 4


@given(st.text())
def test_nothing_else_is_changed(text):
    shown = visible(text)
    assert len(shown) == len(text)
    ordinary = [(new, old) for new, old in zip(shown, text, strict=True) if old.isprintable() or old in "\n\t"]
    assert all(new == old for new, old in ordinary)
    assert visible(shown) == shown


@given(st.text())
def test_json_says_the_same_without_a_control(text):
    written = visible_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(written) == {"text": text}
    assert visible(written) == written


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
