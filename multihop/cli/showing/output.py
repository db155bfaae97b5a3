"""A command's result on the output: lines that can be copied, or one JSON value for another program."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ujson

from ...base.texts import visible_json

if TYPE_CHECKING:
    from rich.console import Console


def print_line(text: str, console: "Console | None" = None, *, style: str = "") -> None:
    """Print a line letter by letter as it is, with no line break in the middle: what it names can be copied."""
    if console is None:
        from ...base.terminal import Terminal

        console = Terminal()
    console.print(text, style=style, soft_wrap=True, highlight=False, markup=False)


def tell_written(paths: Sequence[Path], *, json: bool) -> None:
    """Tell which files a command has written: in a sentence, or as JSON."""
    if json:
        print_json({"wrote": paths})
        return
    names = [*map(str, paths)]
    print_line(f"wrote {' and '.join([', '.join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]}")


def print_json(value: Any) -> None:
    """Print the value as indented JSON, with every character as it is; paths are written as texts."""
    text = ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False, indent=2, default=str)
    write_json(f"{text}\n")


def write_json(text: str) -> None:
    """Write what is JSON already, with nothing in it that commands a terminal."""
    sys.stdout.write(visible_json(text))


ANSWER = "green"
"""The answer, where it stands in a passage, and what the search accepted or chose."""
PASSAGE = "cyan"
"""A passage, by its title."""
STEP = "magenta"
"""A step of the program, by its name."""
GOES_ON = "yellow"
"""A search that goes on from here, or ended too early; an answer that was withheld."""
REJECTED = "red"
"""A passage or path that was rejected, or a failure."""
ASIDE = "dim"
"""Asides that may be skipped: figures, labels, branches that were not followed."""
BEARS = "underline"
"""The sentence that bears the answer, or a conclusion on the way to it."""
