import ast
import inspect
from importlib.metadata import version
from pathlib import Path

import dspy
import pytest

from multihop.runtime import inside_dspy

GROUPS = {
    "chat": lambda: inside_dspy._ADAPTER(dspy.ChatAdapter),
    "json": lambda: (*inside_dspy._ADAPTER(dspy.JSONAdapter), dspy.JSONAdapter._prepare_response_format),
    "values": lambda: inside_dspy._VALUES(inside_dspy.utils),
    "predictors": inside_dspy._predictors,
    "lms": inside_dspy._lms,
}


@pytest.mark.parametrize("group", GROUPS)
def test_the_dspy_that_is_installed_is_known(group):
    """If not: read what has changed in these functions, follow it, and add the digest to `SOURCES`."""
    installed = inside_dspy.digest_of(GROUPS[group]())
    names = ", ".join(function.__qualname__ for function in GROUPS[group]())
    assert installed in inside_dspy.SOURCES[group], f"DSPy {version('dspy')}: {group} is now {installed}: {names}"


@pytest.mark.parametrize("group", GROUPS)
def test_a_source_is_a_whole_function_and_nothing_else(group):
    for function in GROUPS[group]():
        text = inside_dspy.source(function)
        (tree,) = ast.parse(inspect.cleandoc(f"\n{text}") if text.startswith(" ") else text).body
        assert tree.name == inspect.unwrap(function).__name__
        assert text == inspect.getsource(inspect.unwrap(function)).rstrip()


def test_one_changed_word_makes_another_digest():
    def known(value):
        return value

    def changed(value):
        return  value  # fmt: skip

    assert inside_dspy.digest_of((known,)) != inside_dspy.digest_of((changed,))
    assert inside_dspy.digest_of((known,)) == inside_dspy.digest_of((known,))
    assert inside_dspy.source(len) == ""  # it has none


def test_what_a_tool_wraps_around_a_function_is_part_of_it():
    class Traced(dspy.ChatAdapter):
        parse = property(dspy.ChatAdapter.parse)

    class Plain(dspy.ChatAdapter):
        pass

    assert inside_dspy.adapter_kind(Plain) == "chat"  # DSPy wraps the methods of every class once more
    assert inside_dspy.adapter_kind(Traced) is None


def test_where_something_of_dspy_has_moved_nothing_is_known(monkeypatch):
    monkeypatch.setattr(inside_dspy, "_imported", False)
    assert inside_dspy.adapter_kind(dspy.ChatAdapter) is None
    assert not inside_dspy.knows_predictors()
    assert not inside_dspy.knows_lms()


def test_nothing_else_at_the_door_knows_dspy_from_the_inside():
    public = ("dspy", "dspy.lm15", "dspy.utils.exceptions", "dspy.utils.callback")
    for path in Path(inspect.getfile(inside_dspy)).parent.glob("*.py"):
        if path.name != "inside_dspy.py":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dspy"):
                    assert node.module in public, path
