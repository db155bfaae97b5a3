"""How a run looks while it is going: a table that keeps itself up to date, in a terminal or a notebook."""

import time
from collections import Counter, defaultdict
from html import escape
from typing import TYPE_CHECKING, Any, Self

from ..runtime import token_count
from .matching import KINDS
from .row import Row

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SHOWN = ("em", "f1", "recall@5")
PLAIN_SECONDS = 5.0
"""Between two lines where there is no terminal."""
NOTEBOOK_SECONDS = 0.5
"""Between two updates of a notebook's cell."""


class Progress:
    """Counts a run's rows as they come in and shows how far it is.

    Examples:
        >>> import io
        >>> from rich.console import Console
        >>> from multihop.evaluation.progress import Progress
        >>> screen = io.StringIO()
        >>> cost = {"calls": 2, "tokens": {}, "parse_failures": 0}
        >>> with Progress("one-step", 4, Console(file=screen, width=120)) as progress:
        ...     progress.watch({"id": "q1", "status": "ok", "metrics": {"em": 1.0}, "cost": cost})
        >>> screen.getvalue().split("  ")[:2]
        ['one-step: done 1/4', 'em 100.0']
    """

    def __init__(self, title: str, total: int, console: "Console | None" = None, *, lines: bool = True) -> None:
        """Nothing is shown before it is entered.

        Args:
            title: What is running.
            total: How many questions there are.
            console: Where to show it; the terminal's error stream by default, so that output can be piped.
            lines: Say a line now and then where there is neither a terminal nor a notebook.
        """
        from rich.console import Console
        from rich.live import Live

        self.title, self.total, self.lines = title, total, lines
        self._cell: Any = None if console is not None else notebook_cell()
        self.console = console or Console(stderr=True, force_jupyter=False)
        self.rows: dict[str, str] = {}
        self.sums: defaultdict[str, float] = defaultdict(float)
        self.counts: Counter[str] = Counter()
        self.started = time.monotonic()
        self.before = 0
        self.recognised = False
        """Whether any gold passage was: until then, a recall of 0 may be a recall that nobody knows."""
        self._spoke = 0.0
        self._live = Live(console=self.console, get_renderable=self._table, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self._cell is None and self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._cell is not None:
            self._fill_cell()
        elif self.console.is_terminal:
            self._live.stop()
        elif kind is None and self.lines:
            self._say()

    def watch(self, row: Row, earlier: bool = False) -> None:
        """Take note of one finished question; `earlier` if an earlier run finished it."""
        if self.rows.get(row["id"]) == "error":
            self.counts["errors"] -= 1
        elif row["id"] not in self.rows:
            self.before += earlier
        self.rows[row["id"]] = row["status"]
        self.counts["errors"] += row["status"] == "error"
        self.counts["calls"] += row["cost"]["calls"]
        self.counts["tokens"] += token_count(row["cost"]["tokens"])
        self.counts["unparsed"] += row["cost"]["parse_failures"]
        self.recognised |= row.get("matched_by") in KINDS
        for name in SHOWN:
            value = row["metrics"].get(name)
            if value is not None:
                self.sums[name] += value
                self.counts[name] += 1
        waited = time.monotonic() - self._spoke
        if self._cell is not None:
            if waited >= NOTEBOOK_SECONDS:
                self._fill_cell()
        elif self.lines and not self.console.is_terminal and waited >= PLAIN_SECONDS:
            self._say()

    def _columns(self) -> dict[str, str]:
        done, seconds = len(self.rows), time.monotonic() - self.started
        rate = (done - self.before) / seconds if seconds > 0 else 0.0
        left = f"{clock((self.total - done) / rate)}" if rate > 0 else "–"
        means = {
            name: f"{100 * self.sums[name] / self.counts[name]:.1f}"
            if self.counts[name] and (self.recognised or "recall" not in name)
            else "–"
            for name in SHOWN
        }
        return {
            "done": f"{done:,}/{self.total:,}",
            **means,
            "calls": f"{self.counts['calls']:,}",
            "tokens": f"{self.counts['tokens']:,}",
            **({"unparsed": f"{self.counts['unparsed']:,}"} if self.counts["unparsed"] else {}),
            "questions/min": f"{60 * rate:,.0f}",
            "errors": f"{self.counts['errors']:,}",
            "left": left,
        }

    def _table(self) -> "Table":
        from rich.box import SIMPLE
        from rich.table import Table

        columns = self._columns()
        table = Table(*columns, box=SIMPLE, title=self.title, title_justify="left", pad_edge=False)
        table.add_row(*columns.values())
        return table

    def _line(self) -> str:
        return f"{self.title}: " + "  ".join(f"{name} {value}" for name, value in self._columns().items())

    def _say(self) -> None:
        self._spoke = time.monotonic()
        self.console.print(self._line(), soft_wrap=True, highlight=False)

    def _fill_cell(self) -> None:
        self._spoke = time.monotonic()
        columns = self._columns()
        heads, cells = (
            "".join(f"<{tag}>{escape(text)}</{tag}>" for text in row)
            for tag, row in (("th", columns), ("td", columns.values()))
        )
        page = f"<table><caption>{escape(self.title)}</caption><tr>{heads}</tr><tr>{cells}</tr></table>"
        self._cell.update({"text/plain": self._line(), "text/html": page}, raw=True)


def notebook_cell() -> Any:
    """A place under the running notebook cell that can be written anew; None outside a notebook."""
    import sys

    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return display({"text/plain": ""}, raw=True, display_id=True)


def clock(seconds: float) -> str:
    """A time as minutes and seconds, or hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
