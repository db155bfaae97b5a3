"""What constructors take by `Unpack` is what the classes that they pass it to declare, word for word."""

import ast
import inspect
import sys
from typing import TypedDict, Unpack, get_args, get_origin, get_type_hints

import pytest

from multihop import PROGRAMS
from multihop.runtime import Limits, Program
from multihop.runtime.constructors import _texts_in


def unpacked(cls):
    """The typed dictionary that the class's own constructor takes; None where it takes none."""
    own = vars(cls).get("__init__")
    hints = get_type_hints(inspect.unwrap(own), include_extras=True) if own else {}
    kinds = [get_args(hint)[0] for hint in hints.values() if get_origin(hint) is Unpack]
    return kinds[0] if kinds else None


def declared(cls):
    """The type of every setting that the class or one above it declares, the nearest first."""
    found = {}
    for each in cls.__mro__:
        own = inspect.unwrap(vars(each).get("__init__", object.__init__))
        if inspect.isfunction(own):
            hints = get_type_hints(own, include_extras=True)
            for name, parameter in inspect.signature(own).parameters.items():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    found.setdefault(name, hints[name])
    return found


def own_settings(cls):
    own = inspect.signature(inspect.unwrap(cls.__init__)).parameters.values()
    return {parameter.name for parameter in own if parameter.kind is parameter.KEYWORD_ONLY}


def told(kind):
    """What stands under every field of the typed dictionary and of those it extends."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    bases = [vars(sys.modules[kind.__module__])[base.id] for base in tree.bases]  # the class itself forgets them
    words = {name: text for base in bases if base is not TypedDict for name, text in told(base).items()}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign):
            words[field.target.id] = " ".join(text.value.value.split())
    return words


TAKING = [cls for cls in PROGRAMS.values() if unpacked(cls)]


def test_every_constructor_of_a_program_says_what_it_passes_on():
    silent = [cls.__name__ for cls in PROGRAMS.values() if "__init__" in vars(cls) and not unpacked(cls)]
    assert silent == []
    assert len(TAKING) >= 20


@pytest.mark.parametrize("cls", TAKING, ids=lambda cls: cls.__name__)
def test_what_is_passed_on_is_all_that_is_left_with_its_types(cls):
    passed_on = get_type_hints(unpacked(cls), include_extras=True)
    left = {name: kind for name, kind in declared(cls).items() if name not in own_settings(cls)}
    assert passed_on == left


@pytest.mark.parametrize("cls", TAKING, ids=lambda cls: cls.__name__)
def test_fields_are_told_as_the_constructors_tell_them(cls):
    kind, expected = unpacked(cls), {}
    for each in reversed(cls.__mro__):
        if "__init__" in vars(each) and issubclass(each, Program):
            expected |= _texts_in(inspect.unwrap(vars(each)["__init__"]))
    assert told(kind) == {name: expected[name] for name in get_type_hints(kind)}


def test_limits_are_the_settings_of_every_program():
    assert get_type_hints(Limits, include_extras=True) == declared(Program)
