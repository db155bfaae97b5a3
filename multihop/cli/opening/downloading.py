"""How a download looks: the file, what has come of it, and how fast."""

import time
from typing import Self

from rich.console import Console

from ...base.progress_line import cut, plain_pause

PLAIN_SECONDS = 30.0
"""Between two lines at first, where there is no terminal."""


class Downloading:
    """Shows how far a download is: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console | None = None) -> None:
        """Nothing is shown before it is entered.

        Args:
            console: Where to show it; the terminal's error stream by default, so that output can be piped.
        """
        self.console = console or Console(stderr=True)
        self._file, self._first, self._since, self._spoke = "", 0, 0.0, 0.0
        self._status = self.console.status("")

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def watch(self, path: str, done: int, size: int) -> None:
        """Take note of how many bytes of a file are here; what was here before this call counts for no speed."""
        now = time.monotonic()
        if path != self._file:
            self._file, self._first, self._since = path, done, now
            self._spoke = 0.0
        wait = 0.25 if self.console.is_terminal else plain_pause(now - self._since, PLAIN_SECONDS)
        if now - self._spoke < wait and done < size:
            return
        self._spoke = now
        line = download_line(path, done, size, done - self._first, now - self._since)
        if self.console.is_terminal:
            self._status.update(cut(line, self.console.width - 2))
        else:
            self.console.print(line, soft_wrap=True, highlight=False)


def download_line(path: str, done: int, size: int, new: int, seconds: float) -> str:
    """The line to show when so many bytes are here, and so many of them came in so many seconds."""
    rate = f"  {new / seconds / 1e6:.1f} MB/s" if new and seconds > 0 else ""
    return f"{path}: {done / 1e6:.1f} of {size / 1e6:.1f} MB{rate}"
