"""The building of an index, shown with passages done, how fast, and the time to go."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from ...base.texts import clock
from .work_line import WorkLine, working

if TYPE_CHECKING:
    from ...retrieval import Passage


def passages_in(passages: Iterable["Passage"], corpus: str) -> int | None:
    """The number of passages, or None where that is known only after all have come from the network or a pipe."""
    from ...data.little.little import is_little

    if not is_little(corpus) and not Path(corpus).exists():
        return None
    with working(f"counting the passages of {corpus}"):
        return sum(1 for _ in passages)


class Indexing(WorkLine):
    """Shows how far an index is."""

    def __init__(self, total: int | None, console: Console | None = None) -> None:
        """Nothing is shown before it is entered; the total is None where it is not known."""
        self.total, self._started = total, time.monotonic()
        super().__init__(self.line(0), console)

    def watch(self, done: int) -> None:
        """Take note of how many passages are done."""
        now = time.monotonic()
        if self.is_due(now):
            self.show(self.line(done), now)

    def line(self, done: int) -> str:
        """The line to show when so many are done."""
        seconds = time.monotonic() - self._started
        rate = done / seconds if seconds > 0 else 0.0
        of = "" if self.total is None else f" of {self.total:,}"
        left = "–" if self.total is None or not rate else clock(max(self.total - done, 0) / rate)
        return f"indexing: {done:,}{of} passages  {rate:,.0f}/s  {left} to go"
