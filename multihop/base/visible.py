"""Control characters made visible: what came from a passage, a file's name or an LM commands no terminal."""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_OF_JSON = re.compile(r"[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The text with a sign for every control character but line breaks and tabs, also for those that turn the reading.

    Examples:
        >>> from multihop.base.visible import visible
        >>> print(visible("\x1b]52;c;Y3VybA==\x07 Toruń\u202e"))
        ␛]52;c;Y3VybA==␇ Toruń�
    """
    return _CONTROLS.sub(_sign, text)


def visible_json(text: str) -> str:
    r"""JSON with those control characters escaped that it may hold as they are; it says the same.

    Examples:
        >>> from multihop.base.visible import visible_json
        >>> print(visible_json('{"answer": "Toru\u0144 \x9b2J"}'))
        {"answer": "Toruń \u009b2J"}
    """
    return _OF_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _sign(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x20:
        return chr(0x2400 + number)
    return "\u2421" if number == 0x7F else "\ufffd"
