"""The description at the beginning of a GGUF file, read without llama.cpp: its name, its architecture, its context."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

from ...base import DamagedFileError
from .files import check_file

_NUMBERS = dict(enumerate("BbHhIif?")) | dict(enumerate("Qqd", 10))
"""The types of numbers, by their codes in a file, as `struct` spells them."""
_TEXT, _LIST = 8, 9
_TOKENIZER = "tokenizer."
"""The beginning of the names of what comes last: hundreds of thousands of tokens, which nobody wants to read."""


@dataclass(frozen=True, slots=True)
class Header:
    """The description."""

    name: str | None
    """The model's name, which need not be that of the file."""
    architecture: str | None
    """The kind of network, such as "qwen2"."""
    context: int | None
    """Tokens that it was trained with at once."""


def read_header(path: str | os.PathLike[str]) -> Header:
    """The description of a file, up to its vocabulary.

    Raises:
        InputError: It is no GGUF file, or ends within its description.
    """
    values: dict[str, Any] = {}
    with open(check_file(path), "rb") as file:
        file.seek(16)
        try:
            for _ in range(_number(file, "Q")):
                key = _text(file)
                if key.startswith(_TOKENIZER):
                    break
                values[key] = _value(file, _number(file, "I"))
        except (struct.error, KeyError, UnicodeDecodeError, OverflowError, MemoryError):
            raise DamagedFileError(f"{path} is damaged: its description cannot be read.") from None
    architecture = values.get("general.architecture")
    return Header(values.get("general.name"), architecture, values.get(f"{architecture}.context_length"))


def _number(file: BinaryIO, kind: str) -> Any:
    return struct.unpack(f"<{kind}", file.read(struct.calcsize(f"<{kind}")))[0]


def _text(file: BinaryIO) -> str:
    length = _number(file, "Q")
    text = file.read(length)
    if len(text) < length:
        raise struct.error("the file ends")
    return text.decode("utf-8")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _number(file, _NUMBERS[kind])
    kind, count = _number(file, "I"), _number(file, "Q")
    return [_value(file, kind) for _ in range(count)]
