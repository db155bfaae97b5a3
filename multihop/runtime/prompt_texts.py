"""The form of values in a prompt and on record, and texts that stay texts: DSPy's marks are taken apart.

DSPy writes an image or a file into a prompt as JSON between two marks, and makes a message part of whatever stands
between such marks, also where they came with a passage or a question. It begins each field with `[[ ## name ## ]]`,
which a text of several lines could write as well.
"""

import re
from collections.abc import Mapping
from typing import Any

import dspy
from pydantic import BaseModel

from ..retrieval import Hit, Passage

_MARK = re.compile(r"<(?=<CUSTOM-TYPE-START-IDENTIFIER>>)|\[(?=\[\s*##)")
"""The first sign of a mark with which DSPy has a part or a field begin."""


def as_texts(value: Any) -> Any:
    """The value without a mark in any of its texts; the value itself if it has none. Objects of DSPy's types stay."""
    if isinstance(value, str):
        return _MARK.sub(r"\g<0> ", value) if "[[" in value or "<<" in value else value
    if value is None or isinstance(value, bool | int | float | dspy.Type):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        parts = [as_texts(part) for part in value]
        if all(part is old for part, old in zip(parts, value, strict=True)):
            return value
        return parts if isinstance(value, list) or hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, Mapping):
        fields = {as_texts(name): as_texts(part) for name, part in value.items()}
        return value if all(fields.get(name) is part for name, part in value.items()) else fields
    if isinstance(value, BaseModel):
        values = dict(value)
        fields = as_texts(values)
        return value if fields is values else value.model_copy(update=fields)
    text = str(value)
    return as_texts(text) if _MARK.search(text) else value


def texts_of(signature: Any, values: Any) -> Any:
    """The values by field, as texts where their field is of none of DSPy's types: those are saved with the marks."""
    changed = {name: text for name, value in values.items() if (text := as_texts(value)) is not value}
    for name in changed.keys() & signature.fields.keys():
        if dspy.Type.extract_custom_type_from_annotation(signature.fields[name].annotation):
            del changed[name]
    return {**values, **changed} if changed else values


def render(value: Any) -> Any:
    """The value as a prompt shows it: passages and hits become "title | text"."""
    return _each(value, str)


def to_record(value: Any) -> Any:
    """The value as the trajectory keeps it: passages and hits by their ids."""
    return _each(value, lambda passage: passage.id)


def _each(value: Any, show: Any) -> Any:
    if type(value) is str:  # most are
        return value
    if isinstance(value, Passage):
        return show(value)
    if isinstance(value, Hit):
        return show(value.passage)
    if isinstance(value, list | tuple):
        return [_each(item, show) for item in value]
    return value
