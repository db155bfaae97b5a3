"""Texts as they are shown and written: control characters made visible, numbers with their nouns, records as JSON."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import ujson

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_OF_JSON = re.compile(r"[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with a sign for every control character but line breaks and tabs, also for those that turn the order."""
    return _CONTROLS.sub(_sign, text)


def visible_json(text: str) -> str:
    """JSON with those control characters escaped that it may hold as they are; it says the same."""
    return _OF_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _sign(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x20:
        return chr(0x2400 + number)
    return "\u2421" if number == 0x7F else "\ufffd"


def say_count(number: int, noun: str) -> str:
    """The number and its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def plain_value(value: Any, *, otherwise: Callable[[Any], Any] = str) -> Any:
    """The value in JSON's own words: mappings, lists, texts, numbers, booleans and None.

    Args:
        value: Anything; a dataclass becomes a mapping, and a tuple a list.
        otherwise: Turns a value for which JSON has no word into one that it has.
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(name): plain_value(item, otherwise=otherwise) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item, otherwise=otherwise) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else otherwise(value)


def as_json(record: object, *, ascii_only: bool = False) -> str:
    """A record as one JSON object in one line.

    Args:
        record: The record; what is no JSON is made so by `plain_value`.
        ascii_only: True if characters beyond ASCII are escaped, so that any text can be sent, even broken one.
    """
    return ujson.dumps(record, ensure_ascii=ascii_only, escape_forward_slashes=False, default=plain_value)
