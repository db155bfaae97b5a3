"""The display of a download: the file, how much of it has come, and how fast."""

import time

from rich.console import Console

from .work_line import WorkLine


class Downloading(WorkLine):
    """Shows how far a download is."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__("", console)
        self._file, self._first = "", 0

    def watch(self, path: str, done: int, size: int) -> None:
        """Take note of how many bytes of a file are here; what was here before this call counts for no speed."""
        now = time.monotonic()
        if path != self._file:
            self._file, self._first, self._began, self._told = path, done, now, 0.0
        if self.is_due(now) or done >= size:
            new, seconds = done - self._first, now - self._began
            rate = f"  {new / seconds / 1e6:.1f} MB/s" if new and seconds > 0 else ""
            self.show(f"{path}: {done / 1e6:.1f} of {size / 1e6:.1f} MB{rate}", now)
