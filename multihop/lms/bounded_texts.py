"""A JSON schema whose texts end: each may have so many characters that the whole answer fits into its tokens.

A small model repeats itself, and a schema alone lets it do so inside a text until its tokens are spent; then the JSON
is cut off, and what was to follow that text is missing. What comes last may be cut off and still be read; so a text
before it is bound more closely, at the length that no words take more tokens for. The numbers of a short range are
named one by one, since llama-cpp-python does not read where a range ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dspy.lm15 import Request

_SURE, _LIKELY = 1, 2
"""Characters of a token: the fewest there are, of signs and line breaks repeated without end, and the fewest of words
(English prose has four or five, names that nobody knows fewer than three)."""
_AROUND = 6
"""Tokens around a text: its name, its marks and its comma."""
_SHORTEST = 60
"""The room that every text has, however many there are."""
_LONGEST_TEXT = 1500
"""The most characters of a text, which no step asks for; llama.cpp refuses to count up to more than 2,000."""
_ITEMS = 10
"""The items that a list without a bound is reckoned to have."""
_NAMED = 20
"""The most numbers of a range that are named."""


def with_bounded_texts(request: Request) -> Request:
    """The request with its schema, if it has one, bounded; the tokens are those that the answer may have."""
    form = request.config.response_format
    tokens = request.config.max_tokens
    if form is None or tokens is None or "schema" not in form:
        return request
    form = {**form, "schema": bounded(form["schema"], tokens)}
    return replace(request, config=replace(request.config, response_format=form))


def bounded(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with a longest length for each text that has none, and with the numbers of its short ranges.

    Args:
        schema: The schema.
        tokens: The tokens that an answer may have.

    Examples:
        >>> from multihop.lms.bounded_texts import bounded
        >>> bounded({"properties": {"answer": {"type": "string"}, "sure": {"type": "boolean"}}}, tokens=300)
        {'properties': {'answer': {'type': 'string', 'maxLength': 294}, 'sure': {'type': 'boolean'}}}
        >>> bounded({"type": "array", "items": {"type": "string"}, "maxItems": 5}, tokens=300)
        {'type': 'array', 'items': {'type': 'string', 'maxLength': 108}, 'maxItems': 5}
    """
    schema = _with_named_ranges(schema)
    texts = max(1, _texts(schema))
    share = tokens // texts - _AROUND
    sure, likely = (min(_LONGEST_TEXT, max(_SHORTEST, each * share)) for each in (_SURE, _LIKELY))
    properties = schema.get("properties")
    if not properties:
        return dict(_bounded(schema, likely))
    *_, last = properties
    rest: dict[str, Any] = _bounded({key: value for key, value in schema.items() if key != "properties"}, sure)
    within = {name: _bounded(each, likely if name == last else sure) for name, each in properties.items()}
    return {key: within if key == "properties" else rest[key] for key in schema}


def _with_named_ranges(schema: Any) -> Any:
    """The schema with the numbers of its short ranges in the place of their ends."""
    if isinstance(schema, list):
        return [_with_named_ranges(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if _is_short_range(schema):
        kept = {key: value for key, value in schema.items() if key not in ("minimum", "maximum")}
        return {**kept, "enum": list(range(schema["minimum"], schema["maximum"] + 1))}
    return {key: _with_named_ranges(value) for key, value in schema.items()}


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


def _is_short_range(schema: dict[str, Any]) -> bool:
    least, most = schema.get("minimum"), schema.get("maximum")
    if schema.get("type") != "integer" or not (isinstance(least, int) and isinstance(most, int)):
        return False
    return 0 <= most - least < _NAMED
