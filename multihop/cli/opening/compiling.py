"""The display of a compile while it is going: each stage in a line, and under it what moves.

A stage that scores shows the same live line as `evaluate`; any other shows how many LM calls it has made, how long it
has taken, and how long it may still take. Without a terminal, plain lines come now and then instead.
"""

import threading
import time
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from ...base.texts import clock, plain_pause, say_count
from ...evaluation.progress import Progress
from .work_line import PLAIN_SECONDS

if TYPE_CHECKING:
    from ...evaluation.row import Row
    from ...optimize.stages import Stage


class StageDisplay:
    """Shows one stage after the other."""

    def __init__(self, console: Console) -> None:
        """Nothing is shown before it is entered.

        Args:
            console: Where to show it; one that holds on to its file, since DSPy's optimizers are kept quiet meanwhile.
        """
        self.console = console
        self._shown: Progress | Counting | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        self._end(kind, *error)

    def tell(self, line: str) -> None:
        """Print a line that stays; with it, the stage before is over."""
        self._end()
        self.console.print(line, highlight=False, markup=False)

    def watch(self, stage: "Stage", row: "Row | None", earlier: bool) -> None:
        """Show the stage that begins, or take note of a question that it has scored."""
        if row is None:
            total = stage.questions
            self._shown = Progress(stage.variant or "", total, self.console) if total else Counting(stage, self.console)
            self._shown.__enter__()
        elif isinstance(self._shown, Progress):
            self._shown.watch(row, earlier)

    def _end(self, kind: type[BaseException] | None = None, *error: Any) -> None:
        if self._shown is not None:
            self._shown.__exit__(kind, *error)
            self._shown = None


class Counting:
    """A stage's LM calls as they are made, and the time they take."""

    def __init__(self, stage: "Stage", console: Console) -> None:
        self.stage, self.console = stage, console
        self.started = time.monotonic()
        self._spinner = Spinner("dots")
        self._live = Live(
            console=console,
            get_renderable=self._moving,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,  # what the optimizers print is to stay unseen
            redirect_stderr=False,
        )
        self._over = threading.Event()

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        else:
            threading.Thread(target=self._say, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self.console.is_terminal:
            self._live.stop()

    def line(self) -> str:
        """The calls made so far, of about how many, and the time."""
        calls, expected, seconds = self.stage.calls, self.stage.expected, time.monotonic() - self.started
        counted = f"{calls:,} of about {say_count(expected, 'LM call')}" if expected else say_count(calls, "LM call")
        left = seconds / calls * (expected - calls) if expected and 0 < calls < expected else None
        return f"{counted}  {clock(seconds)}" + ("" if left is None else f"  about {clock(left)} left")

    def _moving(self) -> Spinner:
        self._spinner.update(text=self.line())
        return self._spinner

    def _say(self) -> None:
        while not self._over.wait(plain_pause(time.monotonic() - self.started, PLAIN_SECONDS)):
            self.console.print(f"  {self.line()}", highlight=False)
