"""A command's result for another program to read: one JSON value on the output, and nothing else there."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ujson


def tell_written(paths: Sequence[Path], *, json: bool) -> None:
    """Tell which files a command has written: in a sentence, or as JSON."""
    if json:
        print_json({"wrote": paths})
        return
    from rich.console import Console

    names = [*map(str, paths)]
    listed = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    Console().print(f"wrote {listed}", soft_wrap=True, highlight=False, markup=False)


def print_json(value: Any) -> None:
    """The value as indented JSON, with every character as it is; paths are written as texts."""
    text = ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False, indent=2, default=str)
    sys.stdout.write(f"{text}\n")
