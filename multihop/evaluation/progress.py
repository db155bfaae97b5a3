"""The progress of a run: one line that keeps itself up to date in a terminal, a table in a notebook."""

import logging
import time
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Self

from ..base.imports import in_notebook
from ..base.texts import clock, cut, per_minute, plain_pause
from ..runtime import token_count
from .metrics.passages import KINDS
from .row import Row
from .statistics import RunningMean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SHOWN = ("em", "f1", "recall@5")
"""The metrics that are shown."""
FAILURES = ("errors", "unparseable", "cut off", "cut short", "unmeasured")
"""The counts that are shown where there are any: questions that failed, completions that could not be parsed and those
cut off at their most tokens, questions that the budget cut short, answers on which a metric failed."""
PLAIN_SECONDS = 5.0
"""The seconds between two lines at first, where there is no terminal."""
NOTEBOOK_SECONDS = 0.5
"""The seconds between two updates of a notebook's cell."""


class CutAnswers(logging.Filter):
    """Counts DSPy's warnings of answers that were cut off, which would be written across the line of progress."""

    count = 0
    logger = logging.getLogger("dspy.clients.lm")

    def filter(self, record: logging.LogRecord) -> bool:
        """False for such a warning."""
        cut_off = record.getMessage().startswith("LM response was truncated")
        self.count += cut_off
        return not cut_off


class Progress:
    """Counts a run's rows as they come in and shows how far it is."""

    def __init__(self, title: str, total: int, console: "Console | None" = None, *, lines: bool = True) -> None:
        """Nothing is shown before it is entered.

        Args:
            title: The name of the run.
            total: The number of questions.
            console: The console to show it on; the terminal's error stream by default, so that output can be piped.
            lines: Say a line now and then where there is neither a terminal nor a notebook.
        """
        from rich.live import Live

        from ..base.terminal import Terminal

        self.title, self.total, self.lines = title, total, lines
        self._cell: Any = None if console is not None else notebook_cell()
        self.console = console or Terminal(stderr=True, force_jupyter=False)
        self.rows: dict[str, str] = {}
        self.means = {name: RunningMean() for name in SHOWN}
        self.counts: Counter[str] = Counter()
        self.gaps: dict[str, tuple[str, ...]] = {}
        """The metrics that failed on an answer, by the question's id."""
        self.cut = CutAnswers()
        self.started = time.monotonic()
        self.before = 0
        self.recognised = False
        """True once any gold passage was recognised: until then, a recall of 0 may be a recall that nobody knows."""
        self._spoke: float | None = None
        self._live = Live(console=self.console, get_renderable=self._moving, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self.cut.logger.addFilter(self.cut)
        if self._cell is None and self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.cut.logger.removeFilter(self.cut)
        if self._cell is not None:
            self._fill_cell()
        elif self.console.is_terminal:
            self._live.stop()
        elif kind is None and self.lines:
            self._say()

    def watch(self, row: Row, earlier: bool = False) -> None:
        """Take note of one finished question; `earlier` if an earlier run finished it."""
        status = self.rows.get(row["id"])
        self.rows[row["id"]] = row["status"]
        wanted = self.gaps.pop(row["id"], ())  # of an answer that is measured again
        if status in (None, "error"):
            wanted = SHOWN
            self.before += earlier and status is None
            self.counts["errors"] -= status == "error"
            self._count(row)
        for name in wanted:
            if name in self.means and (value := row["metrics"].get(name)) is not None:
                self.means[name].add(value)
        if failed := row.get("unmeasured"):
            self.gaps[row["id"]] = tuple(failed)
        now = time.monotonic()
        pause = NOTEBOOK_SECONDS if self._cell is not None else plain_pause(now - self.started, PLAIN_SECONDS)
        if self._spoke is None or now - self._spoke >= pause:
            if self._cell is not None:
                self._fill_cell()
            elif self.lines and not self.console.is_terminal:
                self._say()

    def _count(self, row: Row) -> None:
        """Add up what the question cost, and how it ended."""
        self.counts["errors"] += row["status"] == "error"
        self.counts["cut short"] += row["status"] == "over_budget"
        self.counts["calls"] += row["cost"]["calls"]
        self.counts["tokens"] += token_count(row["cost"]["tokens"])
        self.counts["unparseable"] += row["cost"]["parse_failures"]
        self.recognised |= row.get("matched_by") in KINDS

    def _figures(self) -> dict[str, str]:
        """The figures, what matters most first: a narrow terminal shows no more."""
        seconds, counts = time.monotonic() - self.started, self.counts
        rate = (len(self.rows) - self.before) / seconds if seconds > 0 else 0.0
        counts["unmeasured"], counts["cut off"] = len(self.gaps), self.cut.count
        return {
            "left": clock((self.total - len(self.rows)) / rate) if rate > 0 else "–",
            **{name: self._mean(name) for name in SHOWN},
            **{name: f"{counts[name]:,}" for name in FAILURES if counts[name]},
            **{name: f"{counts[name]:,}" for name in ("calls", "tokens")},
            "questions/min": per_minute(rate),
        }

    def _mean(self, name: str) -> str:
        mean = self.means[name]
        if not mean.n or ("recall" in name and not self.recognised):
            return "–"
        n = "" if mean.n >= len(self.rows) else f" (n={mean.n:,})"
        return f"{100 * mean.mean:.1f}±{100 * mean.half:.1f}{n}"

    def _line(self) -> str:
        figures = [f"{name} {figure}" for name, figure in self._figures().items()]
        return "  ".join([f"{self.title} {len(self.rows):,}/{self.total:,}", *figures])

    def _moving(self) -> "Text":
        from rich.text import Text

        return Text(cut(self._line(), self.console.width), no_wrap=True, overflow="crop")

    def _say(self) -> None:
        self._spoke = time.monotonic()
        self.console.print(self._line(), soft_wrap=True, highlight=False, markup=False)

    def _fill_cell(self) -> None:
        self._spoke = time.monotonic()
        figures = {"done": f"{len(self.rows):,}/{self.total:,}", **self._figures()}
        heads, cells = (
            "".join(f"<{tag}>{escape(text)}</{tag}>" for text in row)
            for tag, row in (("th", figures), ("td", figures.values()))
        )
        page = f"<table><caption>{escape(self.title)}</caption><tr>{heads}</tr><tr>{cells}</tr></table>"
        self._cell.update({"text/plain": self._line(), "text/html": page}, raw=True)


def notebook_cell() -> Any:
    """A place under the running notebook cell that can be written anew; None outside a notebook."""
    if not in_notebook():
        return None
    from IPython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return display({"text/plain": ""}, raw=True, display_id=True)
