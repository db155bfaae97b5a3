"""The spinner of a command at work."""

import sys
from contextlib import AbstractContextManager
from typing import Any


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal while something takes its time; nothing elsewhere."""
    from rich.console import Console

    from ...base.progress_line import cut

    console = Console(file=sys.stderr)
    return console.status(cut(f"{what} …", console.width - 2))
