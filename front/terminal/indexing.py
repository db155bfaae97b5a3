"""How an index looks while it is built: passages done, how fast, and how long it will still take."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rich.console import Console

from ..evaluation.progress import clock
from .sources import working

if TYPE_CHECKING:
    from ..retrieval import Passage

PLAIN_SECONDS = 30.0
"""Between two lines where there is no terminal."""


def passages_in(passages: Iterable["Passage"], corpus: str) -> int | None:
    """How many passages there are, or None where that is known only after all have come from the network or a pipe."""
    if corpus != "world" and not Path(corpus).exists():
        return None
    with working(f"counting the passages of {corpus}"):
        return sum(1 for _ in passages)


class Indexing:
    """Shows how far an index is: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, total: int | None, console: Console | None = None) -> None:
        """Nothing is shown before it is entered.

        Args:
            total: How many passages there are, if that is known.
            console: Where to show it; the terminal's error stream by default, so that output can be piped.
        """
        self.total = total
        self.console = console or Console(stderr=True)
        self._started = self._spoke = time.monotonic()
        self._status = self.console.status(self.line(0))

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def watch(self, done: int) -> None:
        """Take note of how many passages are done."""
        now = time.monotonic()
        if self.console.is_terminal:
            if now - self._spoke >= 0.25:
                self._spoke = now
                self._status.update(self.line(done))
        elif now - self._spoke >= PLAIN_SECONDS:
            self._spoke = now
            self.console.print(self.line(done), soft_wrap=True, highlight=False)

    def line(self, done: int) -> str:
        """The line to show when so many are done."""
        seconds = time.monotonic() - self._started
        rate = done / seconds if seconds > 0 else 0.0
        of = "" if self.total is None else f" of {self.total:,}"
        left = "–" if self.total is None or not rate else clock(max(self.total - done, 0) / rate)
        return f"indexing: {done:,}{of} passages  {rate:,.0f}/s  {left} to go"
