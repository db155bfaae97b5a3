import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.programs.shared.actions import Finish, Search, action_of, read_action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("search: Ada", Search("Ada")),
        ("Search[Ada (film)]", Search("Ada (film)")),
        ("search: Emma (novel)", Search("Emma (novel)")),
        ("search[Emma (novel)].", Search("Emma (novel)")),
        ("Search[[Emma (novel)]]", Search("Emma (novel)")),
        ("Search[Emma (novel)", Search("Emma (novel)")),
        ("Search Emma (novel)]", Search("Emma (novel)")),
        ("search: (Emma) the novel", Search("(Emma) the novel")),
        ("search[(Emma) the novel", Search("(Emma) the novel")),
        ("search (Emma) the novel]", Search("(Emma) the novel")),
        ('search: "Emma" (novel)', Search('"Emma" (novel)')),
        ('**Search**: "Emma novel"', Search("Emma novel")),
        ("finish: -5 °C", Finish("-5 °C")),
        ("finish - $5 million", Finish("$5 million")),
        ("search[]", None),
        ("1. FINISH: 12 May", Finish("12 May")),
        ("I think", None),
        ("search", None),
    ],
)
def test_actions_are_read_in_any_dress(text, action):
    assert read_action(text) == action


@settings(deadline=None)
@given(st.sampled_from(["search: ", "finish[", "**Search** ", "FINISH:\n"]), st.text('ab [](.)\n:?é"-5“”'))
def test_an_action_that_was_read_reads_the_same_again(name, needs):
    action = read_action(name + needs)
    assert action is None or read_action(str(action)) == action


@pytest.mark.parametrize(
    ("action", "query", "answer", "expected"),
    [
        ("**Search**.", "q", "a", Search("q")),
        ("FINISH[x]", "q", "a", Finish("a")),
        ("I will search", " q ", "", Search("q")),
        ("search, then finish", "", "a", Finish("a")),
        ("search", " ", "a", None),
        ("finish", "q", "", None),
        ("nothing", "q", "a", None),
    ],
)
def test_a_turn_with_fields_is_read_in_any_dress(action, query, answer, expected):
    assert action_of(dspy.Prediction(action=action, query=query, answer=answer)) == expected
