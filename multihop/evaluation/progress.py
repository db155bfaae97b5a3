"""The progress of a run: one line that keeps itself up to date in a terminal, a table in a notebook."""

import time
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Self

from ..base.lazily import in_notebook
from ..base.progress_line import brief, clock, per_minute, plain_pause
from ..runtime import token_count
from .cut_answers import CutAnswers
from .fitted_line import Part, fit_line
from .journal.row import Row
from .matching import KINDS
from .report.statistics import RunningMean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SHOWN = {"em": 3, "f1": 4, "recall@5": 8}
"""The metrics that are shown, each with how soon it is left out of a narrow line."""
COUNTED = {"calls": 6, "tokens": 7, "unparseable": 9, "cut off": 9, "cut short": 9, "unmeasured": 9, "errors": 2}
"""The counts that are shown, likewise: completions that could not be parsed, and those cut off at their most tokens,
questions that the budget cut short, answers on which a metric failed."""
PLAIN_SECONDS = 5.0
"""The seconds between two lines at first, where there is no terminal."""
NOTEBOOK_SECONDS = 0.5
"""The seconds between two updates of a notebook's cell."""


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
        self.cut.start()
        if self._cell is None and self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.cut.stop()
        if self._cell is not None:
            self._fill_cell()
        elif self.console.is_terminal:
            self._live.stop()
        elif kind is None and self.lines:
            self._say()

    def watch(self, row: Row, earlier: bool = False) -> None:
        """Take note of one finished question; `earlier` if an earlier run finished it."""
        status = self.rows.get(row["id"])
        if status == "error":
            self.counts["errors"] -= 1
        elif status is None:
            self.before += earlier
        self.rows[row["id"]] = row["status"]
        if status in (None, "error"):
            self._count(row)
        wanted = SHOWN if status in (None, "error") else self.gaps.pop(row["id"], ())  # else it is measured again
        for name in wanted:
            value = row["metrics"].get(name)
            if value is not None and name in self.means:
                self.means[name].add(value)
        if failed := row.get("unmeasured"):
            self.gaps[row["id"]] = tuple(failed)
        now = time.monotonic()
        if self._cell is not None:
            if self._spoke is None or now - self._spoke >= NOTEBOOK_SECONDS:
                self._fill_cell()
        elif self.lines and not self.console.is_terminal and self._is_time(now):
            self._say()

    def _count(self, row: Row) -> None:
        """Add up what the question cost, and how it ended."""
        self.counts["errors"] += row["status"] == "error"
        self.counts["cut short"] += row["status"] == "over_budget"
        self.counts["calls"] += row["cost"]["calls"]
        self.counts["tokens"] += token_count(row["cost"]["tokens"])
        self.counts["unparseable"] += row["cost"]["parse_failures"]
        self.recognised |= row.get("matched_by") in KINDS

    def _is_time(self, now: float) -> bool:
        return self._spoke is None or now - self._spoke >= plain_pause(now - self.started, PLAIN_SECONDS)

    def _parts(self) -> list[Part]:
        """The parts that are shown, in order."""
        done, seconds, counts = len(self.rows), time.monotonic() - self.started, self.counts
        rate = (done - self.before) / seconds if seconds > 0 else 0.0
        left = clock((self.total - done) / rate) if rate > 0 else "–"
        share, speed = f"{done:,}/{self.total:,}", per_minute(rate)
        parts = [Part("done", share, share, 1)]
        parts += [self._metric(name, rank) for name, rank in SHOWN.items()]
        counts["unmeasured"], counts["cut off"] = len(self.gaps), self.cut.count
        for name, rank in COUNTED.items():
            if counts[name] or name in ("calls", "tokens"):
                parts.append(Part(name, f"{counts[name]:,}", f"{brief(counts[name])} {name}", rank))
        return [*parts, Part("questions/min", speed, f"{speed}/min", 5), Part("left", left, f"{left} left", 1)]

    def _metric(self, name: str, rank: int) -> Part:
        mean = self.means[name]
        if not mean.n or ("recall" in name and not self.recognised):
            return Part(name, "–", "", 10)
        value, half = 100 * mean.mean, 100 * mean.half
        n = "" if mean.n >= len(self.rows) else f" (n={mean.n:,})"
        short = "" if "recall" in name else f"{name} {value:.0f}±{half:.0f}{n}"
        return Part(name, f"{value:.1f}±{half:.1f}{n}", short, rank)

    def _line(self, width: int | None = None) -> str:
        """All of it, or what fits into a width."""
        done, *others = self._parts()
        if width is None:
            return "  ".join([f"{self.title}: {done.long}", *(part.long for part in others)])
        head = f"{self.title} {done.value}"
        return fit_line([Part("", head, head, 0), *others], width)

    def _moving(self) -> "Text":
        from rich.text import Text

        return Text(self._line(self.console.width), no_wrap=True, overflow="crop")

    def _say(self) -> None:
        self._spoke = time.monotonic()
        self.console.print(self._line(), soft_wrap=True, highlight=False, markup=False)

    def _fill_cell(self) -> None:
        self._spoke = time.monotonic()
        parts = self._parts()
        heads, cells = (
            "".join(f"<{tag}>{escape(text)}</{tag}>" for text in row)
            for tag, row in (("th", [part.name for part in parts]), ("td", [part.value for part in parts]))
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
