"""One line about work that takes long: it changes on a terminal, and is told now and then elsewhere."""

import time
from contextlib import AbstractContextManager
from typing import Any, Self

from rich.console import Console

from ...base.terminal import Terminal
from ...base.texts import cut, plain_pause

PLAIN_SECONDS = 30.0
"""Between two lines at first, where there is no terminal."""
LIVE_SECONDS = 0.25
"""Between two lines on a terminal."""


class WorkLine:
    """Shows how far work is."""

    def __init__(self, line: str, console: Console | None = None) -> None:
        """Nothing is shown before it is entered.

        Args:
            line: The first line on a terminal.
            console: Where to show it; the terminal's error stream by default, so that output can be piped.
        """
        self.console = console or Terminal(stderr=True)
        self._began = self._told = time.monotonic()
        self._status = self.console.status(line)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def is_due(self, now: float) -> bool:
        """True if the last line is old enough to be followed by another."""
        pause = LIVE_SECONDS if self.console.is_terminal else plain_pause(now - self._began, PLAIN_SECONDS)
        return now - self._told >= pause

    def show(self, line: str, now: float) -> None:
        """Show the line in the place of the last one, or below it."""
        self._told = now
        if self.console.is_terminal:
            self._status.update(cut(line, self.console.width - 2))
        else:
            self.console.print(line, soft_wrap=True, highlight=False)


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal while something takes its time; nothing elsewhere."""
    console = Terminal(stderr=True)
    return console.status(cut(f"{what} …", console.width - 2))
