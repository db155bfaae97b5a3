"""Values as JSON has them."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import ujson


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

    Examples:
        >>> import pathlib
        >>> from multihop.base.plain import as_json
        >>> as_json({"answer": "Toruń", "settings": {"folder": pathlib.PurePosixPath("runs/dev")}})
        '{"answer":"Toruń","settings":{"folder":"runs/dev"}}'
    """
    return ujson.dumps(record, ensure_ascii=ascii_only, escape_forward_slashes=False, default=plain_value)
