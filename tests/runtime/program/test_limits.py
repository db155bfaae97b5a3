"""`Limits` is what every program can be limited by, word for word."""

import inspect
import typing

from multihop import Limits, Program
from multihop.runtime.program.constructors import argument_texts
from multihop.runtime.program.settings import field_annotations


def test_limits_are_the_settings_of_every_program():
    fields = {name: kind for name, kind in field_annotations(Program).items() if name != "retriever"}
    assert typing.get_type_hints(Limits, include_extras=True) == fields


def test_limits_are_told_as_the_program_tells_them():
    told, texts = inspect.getsource(Limits), argument_texts(Program)
    for name in typing.get_type_hints(Limits):
        assert texts[name] in " ".join(told.split()), name
