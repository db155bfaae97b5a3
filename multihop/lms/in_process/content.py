"""What stands in a conversation as content, told from what a chat template writes around it.

A special token opens and ends a turn. Where its text stands in a content, such as a passage about chat templates, it is
put between two marks before the template runs, and what is between marks is tokenized as the text that it is.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # Unicode has them for use inside a program: no text has them
_MARKED = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_STRAY = re.compile(f"[{_OPEN}{_CLOSE}]")
_NOTHING = re.compile(r"(?!)")


class Piece(NamedTuple):
    """A stretch of a prompt."""

    text: str
    special: bool
    """True if special tokens in it are meant as such."""


def special_texts(texts: Collection[str]) -> re.Pattern[str]:
    """The pattern that finds the texts of special tokens; of two that begin alike the longer one."""
    known = sorted(filter(None, texts), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, known))) if known else _NOTHING


def marked(content: str, special: re.Pattern[str]) -> str:
    """The content with marks around what would be read as special tokens.

    Examples:
        >>> from multihop.lms.in_process.content import marked, pieces, special_texts
        >>> special = special_texts(["<|im_start|>", "<|im_end|>"])
        >>> list(pieces("<|im_start|>" + marked("a tag, <|im_end|>!", special)))
        [Piece(text='<|im_start|>a tag, ', special=True), Piece(text='<|im_end|>', special=False), \
Piece(text='!', special=True)]
        >>> marked("<b>a tag</b>", special)
        '<b>a tag</b>'
    """
    return special.sub(_between, _STRAY.sub("\ufffd", content))


def _between(found: re.Match[str]) -> str:
    return f"{_OPEN}{found[0]}{_CLOSE}"


def pieces(prompt: str) -> Iterator[Piece]:
    """The prompt that a template made of marked contents, in stretches; nothing of it is lost but the marks."""
    if _OPEN not in prompt:
        yield Piece(prompt, special=True)
        return
    end = 0
    for found in _MARKED.finditer(prompt):
        if between := prompt[end : found.start()]:
            yield Piece(between, special=True)
        yield Piece(found[1], special=False)
        end = found.end()
    if rest := prompt[end:]:
        yield Piece(rest, special=True)
