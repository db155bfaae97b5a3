"""The progress of a run in one line, which keeps itself up to date in a terminal and in a notebook."""

import logging
import time
from collections import Counter
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..base.imports import in_notebook
from ..base.terminal import Terminal
from ..base.texts import clock, cut, per_minute, plain_pause
from ..runtime import token_count
from .intervals import interval_of
from .metrics.named import MAIN
from .metrics.passages import KINDS
from .row import Row

FAILURES = ("errors", "unparseable", "cut off", "cut short", "unmeasured")
"""The counts that are shown where there are any: questions that failed, completions that could not be parsed and those
cut off at their most tokens, questions that the budget cut short, answers on which a metric failed."""
TOLD_FROM = 10
"""Questions after which the time that is left is told."""
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

    def __init__(self, title: str, total: int, console: Console | None = None, *, lines: bool = True) -> None:
        """Shown once entered, on the error stream; with `lines` now and then also without terminal and notebook."""
        self.title, self.total, self.lines = title, total, lines
        self._cell: Any = None if console is not None else notebook_cell()
        self.console = console or Terminal(stderr=True, force_jupyter=False)
        self.counts: Counter[str] = Counter()
        self.cut = CutAnswers()
        self.started = time.monotonic()
        self.before = 0
        self.recognised = False
        """True once any gold passage was recognised: until then, a recall of 0 may be an unknown one."""
        self._rows: dict[str, Counter[str]] = {}  # what each question added to the counts
        self._spoke: float | None = None
        self._live = Live(console=self.console, get_renderable=self._moving, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self.cut.logger.addFilter(self.cut)
        if self._cell is None and self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.cut.logger.removeFilter(self.cut)
        if self._cell is None and self.console.is_terminal:
            self._live.stop()
        elif self._cell is not None or (kind is None and self.lines):
            self._say()

    def watch(self, row: Row, earlier: bool = False) -> None:
        """Take note of one finished question; `earlier` if an earlier run finished it."""
        self.before += earlier and row["id"] not in self._rows
        self.counts.subtract(self._rows.get(row["id"], {}))  # of a question that is asked or measured again
        self._rows[row["id"]] = counted = _counts_of(row)
        self.counts.update(counted)
        self.recognised |= row.get("matched_by") in KINDS
        now = time.monotonic()
        pause = NOTEBOOK_SECONDS if self._cell is not None else plain_pause(now - self.started, PLAIN_SECONDS)
        in_lines = self._cell is not None or (self.lines and not self.console.is_terminal)
        if in_lines and (self._spoke is None or now - self._spoke >= pause):
            self._say()

    def _line(self) -> str:
        """The figures, what matters most first: a narrow terminal shows no more."""
        seconds, counts, done = time.monotonic() - self.started, self.counts, len(self._rows)
        new, asked = done - self.before, self.total - self.before
        rate = new / seconds if seconds > 0 else 0.0
        counts["cut off"] = self.cut.count
        figures = {
            "left": clock((self.total - done) / rate) if rate > 0 and new >= min(TOLD_FROM, asked) else "–",
            **{name: self._mean(name) for name in MAIN},
            **{name: f"{counts[name]:,}" for name in FAILURES if counts[name]},
            **{name: f"{counts[name]:,}" for name in ("calls", "tokens")},
            "questions/min": per_minute(rate),
        }
        head = f"{self.title} {done:,}/{self.total:,}"
        return "  ".join([head, *(f"{name} {figure}" for name, figure in figures.items())])

    def _mean(self, name: str) -> str:
        n, total, squares = (self.counts[f"{what} of {name}"] for what in ("number", "sum", "squares"))
        if not n or ("recall" in name and not self.recognised):
            return "–"
        of = "" if n >= len(self._rows) else f" (n={n:,})"
        ends = interval_of("share", round(n), total, squares)
        return f"{100 * total / n:.1f}{f'±{50 * (ends[1] - ends[0]):.1f}' if ends else ''}{of}"

    def _moving(self) -> Text:
        return Text(cut(self._line(), self.console.width), no_wrap=True, overflow="crop")

    def _say(self) -> None:
        self._spoke = time.monotonic()
        if self._cell is not None:
            self._cell.update({"text/plain": self._line()}, raw=True)
        else:
            self.console.print(self._line(), soft_wrap=True, highlight=False, markup=False)


def _counts_of(row: Row) -> Counter[str]:
    """The numbers that a question adds to those of the line."""
    counts: Counter[str] = Counter(calls=row["cost"]["calls"], tokens=token_count(row["cost"]["tokens"]))
    counts["unparseable"] = row["cost"]["parse_failures"]
    counts["errors"], counts["cut short"] = row["status"] == "error", row["status"] == "over_budget"
    counts["unmeasured"] = "unmeasured" in row
    for name in MAIN:
        if (value := row["metrics"].get(name)) is not None:
            counts.update({f"number of {name}": 1, f"sum of {name}": value, f"squares of {name}": value**2})  # type: ignore[dict-item]
    return counts


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
