"""A JSON schema whose texts end: each may have so many characters that the whole answer fits into its tokens.

A small model repeats itself, and a schema alone lets it do so inside a text until its tokens are spent; then the JSON
is cut off, and nothing of it can be read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dspy.lm15 import Request

_CHARACTERS = 3
"""Characters of a token, at least, where a model repeats words; of English prose it is four or five."""
_AROUND = 6
"""Tokens around a text: its name, its marks and its comma."""
_SHORTEST = 60
"""The room that every text has, however many there are."""
LONGEST_TEXT = 1500
"""The most characters of a text, which no step asks for; llama.cpp refuses to count up to more than 2,000."""
_ITEMS = 10
"""The items that a list without a bound is reckoned to have."""


def with_bounded_texts(request: Request) -> Request:
    """The request with its schema, if it has one, bounded; the tokens are those that the answer may have."""
    form = request.config.response_format
    tokens = request.config.max_tokens
    if form is None or tokens is None or "schema" not in form:
        return request
    form = {**form, "schema": bounded(form["schema"], tokens)}
    return replace(request, config=replace(request.config, response_format=form))


def bounded(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with a longest length for each text that has none.

    Args:
        schema: The schema.
        tokens: The tokens that an answer may have.

    Examples:
        >>> from multihop.lms.bounded_texts import bounded
        >>> bounded({"properties": {"answer": {"type": "string"}, "sure": {"type": "boolean"}}}, tokens=300)
        {'properties': {'answer': {'type': 'string', 'maxLength': 882}, 'sure': {'type': 'boolean'}}}
        >>> bounded({"type": "array", "items": {"type": "string"}, "maxItems": 5}, tokens=300)
        {'type': 'array', 'items': {'type': 'string', 'maxLength': 162}, 'maxItems': 5}
    """
    texts = max(1, _texts(schema))
    room = _CHARACTERS * (tokens // texts - _AROUND)
    bounds: dict[str, Any] = _bounded(schema, min(LONGEST_TEXT, max(_SHORTEST, room)))
    return bounds


def _texts(schema: Any) -> int:
    """The texts that an answer may have at most."""
    if isinstance(schema, list):
        return sum(map(_texts, schema))
    if not isinstance(schema, dict):
        return 0
    if _is_free_text(schema):
        return 1
    items = schema.get("maxItems", _ITEMS)
    return sum(_texts(value) * (items if key == "items" else 1) for key, value in schema.items())


def _bounded(schema: Any, room: int) -> Any:
    if isinstance(schema, list):
        return [_bounded(each, room) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if _is_free_text(schema):
        return {**schema, "maxLength": room}
    return {key: _bounded(value, room) for key, value in schema.items()}


def _is_free_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and not {"enum", "const", "format", "pattern", "maxLength"} & schema.keys()
