"""The form of values in a prompt and on record, and texts that stay texts: DSPy's marks of parts are taken apart.

DSPy writes an image or a file into a prompt as JSON between two marks, and makes a message part of whatever stands
between such marks, also where they came with a passage or a question.
"""

import copy
import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import anyio.to_thread
import dspy
from pydantic import BaseModel

from ..retrieval import Hit, Passage

MARK = "<<CUSTOM-TYPE-START-IDENTIFIER>>"
"""The mark with which DSPy has a part begin."""
_APART = MARK.replace("<<", "< <")


def as_texts(value: Any) -> Any:
    """The value without a mark in any of its texts; the value itself if it has none. Objects of DSPy's types stay."""
    if isinstance(value, str):
        return value.replace(MARK, _APART) if MARK in value else value
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
    return as_texts(text) if MARK in text else value


def keeping_texts(adapter: dspy.Adapter) -> dspy.Adapter:
    """A copy of the adapter that writes prompts whose texts are texts: of inputs, and of demonstrations."""
    twin = copy.copy(adapter)
    # not a subclass: DSPy's callbacks would hear of its methods and of the inherited ones
    twin.format = functools.partial(_format, adapter)
    return twin


@contextmanager
def keeping_texts_of_others() -> Iterator[None]:
    """A block in which DSPy's own modules, such as those of its optimizers, write their prompts in the same way.

    Programs look through it: see `given_adapter`.
    """
    given = awaitable(given_adapter())
    twin = keeping_texts_in_every_form(given or dspy.ChatAdapter())
    twin.given = given
    with dspy.context(adapter=twin):
        yield


def keeping_texts_in_every_form(adapter: dspy.Adapter) -> dspy.Adapter:
    """A copy of the adapter that does so also where it asks once more in another form, as DSPy's chat adapter does."""
    twin, kind = copy.copy(adapter), cast(Any, type(adapter))
    twin.__class__ = _with_texts(kind)
    return twin


def given_adapter() -> dspy.Adapter | None:
    """The adapter that the user has set, if one is."""
    adapter = dspy.settings.adapter
    return adapter.given if hasattr(adapter, "given") else adapter


@functools.lru_cache(maxsize=16)
def _with_texts(kind: Any) -> Any:
    """The kind of adapter, whose calls take texts as texts, those that it makes again in another form among them."""

    def call(self: Any, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        return kind.__call__(self, lm, lm_kwargs, signature, *_prompt_of(signature, demos, inputs))

    async def acall(self: Any, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        return await kind.acall(self, lm, lm_kwargs, signature, *_prompt_of(signature, demos, inputs))

    # as they are without DSPy's callbacks, which it puts around them in every new class
    bare = {name: inspect.unwrap(getattr(kind, name)) for name in ("format", "parse")}
    return type(kind.__name__, (kind,), {"__call__": call, "acall": acall, **bare, "__module__": kind.__module__})


def _prompt_of(signature: Any, demos: list[Any], inputs: Any) -> tuple[list[Any], Any]:
    return [_texts_of(signature, demo) for demo in demos], _texts_of(signature, inputs)


def _format(adapter: dspy.Adapter, signature: Any, demos: list[Any], inputs: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = adapter.format(signature, *_prompt_of(signature, demos, inputs))
    return messages


def _texts_of(signature: Any, values: Any) -> Any:
    """The values by field, as texts where their field is of none of DSPy's types: those are saved with the marks."""
    changed = {
        name: text
        for name, value in values.items()
        if (text := as_texts(value)) is not value and not _is_typed(signature.fields.get(name))
    }
    return {**values, **changed} if changed else values


def _is_typed(field: Any) -> bool:
    return field is not None and bool(dspy.Type.extract_custom_type_from_annotation(field.annotation))


def awaitable(adapter: dspy.Adapter | None) -> dspy.Adapter | None:
    """The adapter itself, or, where it has a `__call__` of its own and no `acall`, a copy that calls it in a thread.

    `dspy.Refine` hands its advice to a program through such an adapter: DSPy would take the inherited `acall`, and what
    the adapter adds would be lost without a word.
    """
    if adapter is None or _depth(type(adapter), "acall") <= _depth(type(adapter), "__call__"):
        return adapter
    twin = copy.copy(adapter)
    twin.__class__ = _in_thread(type(adapter))  # type: ignore[arg-type]
    return twin


def _depth(kind: type, name: str) -> int:
    """The number of classes between this one and the one that defines the method."""
    return next((depth for depth, each in enumerate(kind.__mro__) if name in vars(each)), len(kind.__mro__))


@functools.lru_cache(maxsize=16)
def _in_thread(kind: Any) -> Any:
    async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = functools.partial(self, *args, **kwargs)
        # A thread of anyio's, from which DSPy can stream.
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)

    return type(kind.__name__, (kind,), {"acall": acall, "__module__": kind.__module__})


def render(value: Any) -> Any:
    """The value as a prompt shows it: passages and hits become "title | text".

    Examples:
        >>> from multihop.runtime.texts import render
        >>> from multihop.retrieval import Hit, Passage
        >>> render([Hit(Passage("p1", "Ada Lovelace", "A mathematician."), 7.5)])
        ['Ada Lovelace | A mathematician.']
    """
    return _each(value, str)


def to_record(value: Any) -> Any:
    """The value as the trajectory keeps it: passages and hits by their ids.

    Examples:
        >>> from multihop.runtime import to_record
        >>> from multihop.retrieval import Passage
        >>> to_record([Passage("p1", "Ada Lovelace", "A mathematician.")])
        ['p1']
    """
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
