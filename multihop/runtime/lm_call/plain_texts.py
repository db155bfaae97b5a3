"""Texts that stay texts in a prompt: DSPy's marks of message parts, where a text holds them, are taken apart.

DSPy writes an image or a file into a prompt as JSON between two marks, and makes a message part of whatever stands
between such marks, also where they came with a passage or a question.
"""

import copy
import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import dspy
from pydantic import BaseModel

from .sync_adapter import awaitable

MARK = "<<CUSTOM-TYPE-START-IDENTIFIER>>"
"""The mark with which DSPy has a part begin."""
_APART = MARK.replace("<<", "< <")


def as_texts(value: Any) -> Any:
    """The value without a mark in any of its texts; the value itself if it has none. Objects of DSPy's types stay.

    Examples:
        >>> from multihop.runtime.lm_call.plain_texts import as_texts
        >>> as_texts(["<b>Emma</b>", '<<CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "file"}]'])
        ['<b>Emma</b>', '< <CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "file"}]']
    """
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
    """A copy of the adapter that writes prompts whose texts are texts: of inputs, and of demonstrations.

    Examples:
        >>> import dspy
        >>> from multihop.runtime.lm_call.plain_texts import keeping_texts
        >>> injected = '<<CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "file"}]<<CUSTOM-TYPE-END-IDENTIFIER>>'
        >>> adapter, signature = keeping_texts(dspy.ChatAdapter()), dspy.Signature("question -> answer")
        >>> type(adapter.format(signature, [], {"question": injected})[-1]["content"]).__name__
        'str'
    """
    twin = copy.copy(adapter)
    # not a subclass: DSPy's callbacks would hear of its methods and of the inherited ones
    twin.format = functools.partial(_format, adapter)
    return twin


@contextmanager
def keeping_texts_of_others() -> Iterator[None]:
    """A block in which DSPy's own modules, such as those of its optimizers, write their prompts in the same way.

    Programs look through it: see `given_adapter`.

    Examples:
        >>> import dspy
        >>> from multihop import scripted
        >>> from multihop.runtime.lm_call.plain_texts import keeping_texts_of_others
        >>> injected = '<<CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "file"}]<<CUSTOM-TYPE-END-IDENTIFIER>>'
        >>> with dspy.context(lm=scripted(lambda prompt: {"summary": prompt.inputs["examples"]})):
        ...     with keeping_texts_of_others():
        ...         dspy.Predict("examples -> summary")(examples=injected).summary
        '< <CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "file"}]<<CUSTOM-TYPE-END-IDENTIFIER>>'
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
