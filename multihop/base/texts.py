"""Texts as they are shown and written: visible control characters, counts and times in words, records as JSON."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from functools import partial
from typing import Any

import ujson

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_OF_JSON = re.compile(r"[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LONGEST_PAUSE = 300.0
"""Seconds between two plain lines of progress at most."""


def visible(text: str) -> str:
    """The text with a sign for every control character but line breaks and tabs, also for those that turn the order."""
    return _CONTROLS.sub(_sign, text)


def visible_json(text: str) -> str:
    """JSON with the control characters escaped that it may hold unescaped; it means the same."""
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
    """The value in JSON's own types, of others by `otherwise`; a number that JSON does not have is None."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(name): plain_value(item, otherwise=otherwise) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item, otherwise=otherwise) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else otherwise(value)


def as_json(record: object, *, ascii_only: bool = False) -> str:
    """A record as JSON in one line, made plain by `plain_value`; `ascii_only` lets even broken text be sent."""
    write = partial(ujson.dumps, ensure_ascii=ascii_only, escape_forward_slashes=False, allow_nan=False)
    try:
        return write(record, default=plain_value)
    except OverflowError:  # a number that JSON does not have
        return write(plain_value(record))


def in_line(text: str) -> str:
    """A text within Markdown: in one line, and no bar of a table, tag or link in it."""
    return re.sub(r"[|\\]|<(?=[a-zA-Z/!?])|(?<=\])\(", r"\\\g<0>", " ".join(text.split()))


def cut(line: str, width: int) -> str:
    """The line, ended by an ellipsis where it is wider than `width`."""
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else f"{set_cell_size(line, max(width - 1, 0))}…"


def in_short(value: object, longest: int) -> str:
    """The value's text in one line, ended by an ellipsis where it is longer."""
    text = " ".join(str(value).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def per_minute(rate: float) -> str:
    """The number of something a minute, from its number a second."""
    minute = 60 * rate
    return f"{minute:,.0f}" if minute >= 9.95 else f"{minute:.1f}"


def clock(seconds: float) -> str:
    """A time as minutes and seconds, or hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plain_pause(worked: float, least: float) -> float:
    """Seconds until the next plain line, for work that has gone on for so long: ever more, so that logs stay short."""
    return min(max(least, worked / 10), LONGEST_PAUSE)
