"""A command's own process: what it tells while it works, its heap, its imports, and a word at Ctrl-C."""

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from ..base.errors import hide_secrets
from ..base.imports import is_reference
from ..base.terminal import Terminal
from ..base.texts import cut, plain_pause, visible

PLAIN_SECONDS = 30.0
"""Between two lines about long work at first, where there is no terminal."""


def tell_user(message: str) -> None:
    """One line on the error stream."""
    sys.stderr.write(f"multihop: {visible(' '.join(hide_secrets(message).split()))}\n")


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal while something takes its time; nothing elsewhere."""
    console = Terminal(stderr=True)
    return console.status(cut(f"{what} …", console.width - 2))


class LiveLine:
    """A line about long work: it changes on a terminal, and is printed now and then elsewhere."""

    def __init__(self, line: Callable[[], str], console: Console | None = None) -> None:
        """Nothing is shown before it is entered; without a console, it is shown on the error stream."""
        self.line, self.console = line, console or Terminal(stderr=True)
        self.began, self._over, self._spinner = time.monotonic(), threading.Event(), Spinner("dots")
        self._live = Live(
            console=self.console,
            get_renderable=self._moving,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,  # what DSPy's optimizers print is to stay unseen
            redirect_stderr=False,
        )

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

    def _moving(self) -> Spinner:
        self._spinner.update(text=cut(self.line(), self.console.width - 2))
        return self._spinner

    def _say(self) -> None:
        while not self._over.wait(plain_pause(time.monotonic() - self.began, PLAIN_SECONDS)):
            self.console.print(self.line(), soft_wrap=True, highlight=False)


def importable_from_here(*names: str | None) -> None:
    """Let modules of the current folder be imported, if any of the names is written MODULE:NAME."""
    here = os.getcwd()
    if here not in sys.path and any(name is not None and is_reference(name) for name in names):
        sys.path.insert(0, here)


@contextmanager
def resumable(kept: str) -> Iterator[None]:
    """A block after whose interruption the user is told what is kept, such as "runs/first keeps what is finished"."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(str(interrupt) or f"interrupted; {kept}, the same command goes on.") from None


@contextmanager
def heap_at_rest() -> Iterator[None]:
    """A block in which the collector looks only at what has been made in it.

    DSPy and what it imports are a hundred thousand objects; to look through all of them, as Python does now and then,
    takes thirty to forty milliseconds in which nothing is answered. This is of the whole process, so a command may do
    it and a library may not. What somebody else had frozen before stays so.
    """
    frozen_before = gc.get_freeze_count()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen_before:  # all that is frozen can only be freed together
            gc.unfreeze()
