"""The values that a sweep gives to settings, as they are written on the command line."""

from collections.abc import Iterable, Iterator
from typing import Any

from ...base import InputError
from ...runtime import parse_settings

_OPENING, _CLOSING = "[{", "]}"


def parse_over(written: Iterable[str]) -> dict[str, list[Any]]:
    """Settings written NAME=VALUE,VALUE, each with its values; a value that is a list stands in brackets.

    Raises:
        InputError: One is not written like that.

    Examples:
        >>> from multihop.experiments.sweeping.over import parse_over
        >>> parse_over(["exploration=0.5,1,2", "reuse=none,transitions", "widths=[5,3,3],[3,3,3]"])
        {'exploration': [0.5, 1, 2], 'reuse': ['none', 'transitions'], 'widths': [[5, 3, 3], [3, 3, 3]]}
    """
    found: dict[str, list[Any]] = {}
    for text in written:
        name, equals, values = text.partition("=")
        pieces = [piece.strip() for piece in _split(values)]
        if not (equals and name.strip() and all(pieces)):
            raise InputError(f"a sweep goes over NAME=VALUE,VALUE, such as exploration=0.5,1,2, not '{text}'.")
        found.setdefault(name.strip().replace("-", "_"), []).extend(map(_value, pieces))
    return found


def _split(text: str) -> Iterator[str]:
    """The text at its commas, but for those between brackets and quotation marks."""
    depth, quoted, start = 0, False, 0
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        depth += (not quoted) * ((sign in _OPENING) - (sign in _CLOSING))
        if sign == "," and depth == 0 and not quoted:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _value(text: str) -> Any:
    """A value; in brackets words need no quotation marks."""
    if text.startswith("[") and text.endswith("]"):
        return [_value(piece.strip()) for piece in _split(text[1:-1]) if piece.strip()]
    return parse_settings([f"value={text}"])["value"]
