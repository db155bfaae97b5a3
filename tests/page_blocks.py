"""The fenced blocks of a page, and whether what one shows is what was printed.

`bash` holds commands; `console` holds them after "$ ", each with what it prints; `text` holds what the block before it
printed; a block with a `title` is a file of that name. A line "..." stands for any lines, "..." in one for any text.
"""

import re
from typing import NamedTuple

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
VARYING = (
    (re.compile(r"\b\d[\d,]*(\.\d+)? (?=s\b|ms\b)"), "_ "),
    (re.compile(r"(?<=run time )[\d:]+(?=,)"), "_ s"),
    (re.compile(r"[\d,.]+(?= questions a minute)"), "_"),
    (re.compile(r'("(?:seconds|run_seconds|per_minute)": ?)[\d.e-]+'), r"\1_"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+"), "_"),
    (re.compile(r"\b[0-9a-f]{12,}\b"), "_"),
    (re.compile(r"\b\d+(?= % sure\b)"), "_"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+"), "_"),
)
"""Patterns of what differs from run to run, and what stands in its place before two texts are compared."""
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?", re.M)


class Block(NamedTuple):
    """A block, and where its text lies in the page."""

    language: str
    title: str | None
    text: str
    start: int


def blocks(page: str) -> list[Block]:
    """All blocks of the page, in order."""
    return [Block(found[1], found[2], found[3], found.start(3)) for found in FENCE.finditer(page)]


def commands(text: str) -> list[str]:
    """The commands of a `bash` block, each on one line and without its comment."""
    lines = text.replace("\\\n", " ").splitlines()
    kept = (re.sub(r"(^|\s)#\s.*", "", line).strip() for line in lines)
    return [line for line in kept if line]


def turns(text: str) -> list[tuple[str, str, int]]:
    """The commands of a `console` block, each with what it shows and where that begins in the block."""
    found = list(COMMAND.finditer(text))
    ends = [each.start() for each in found[1:]] + [len(text)]
    return [(commands(each[1])[0], text[each.end() : end], each.end()) for each, end in zip(found, ends, strict=True)]


def plain(text: str) -> str:
    """Without what varies, blanks at the ends of lines, and empty lines."""
    for pattern, stand_in in VARYING:
        text = pattern.sub(stand_in, text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def fits(shown: str, printed: str) -> bool:
    """True if the page shows what was printed."""
    lines = (re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in plain(shown).splitlines())
    pattern = "".join(r"(?:.*\n)*" if line == ".*\n" else line for line in lines)
    return re.fullmatch(pattern, plain(printed) + "\n" if printed.strip() else "") is not None
