"""The error stream of a server, which waits for nobody: what is not read in time is left out, and counted."""

import contextlib
import io
import os
import queue
import sys
import threading
from collections.abc import Iterator

_MOST = 10_000
"""Texts that wait until whoever reads the stream goes on reading."""
_LAST_WORDS = 1.0
"""Seconds for which the end waits until all was written."""


class _Unblocked(io.TextIOBase):
    """Takes texts at once, and has a thread write them."""

    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream, self._lost = stream, 0
        self._texts: queue.Queue[str | None] = queue.Queue(_MOST)
        self._thread = threading.Thread(target=self._write_all, daemon=True, name="multihop-errors")
        self._thread.start()

    def write(self, text: str) -> int:
        try:
            self._texts.put_nowait(text)
        except queue.Full:
            self._lost += 1
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def end(self) -> None:
        """Wait a moment until all was written."""
        with contextlib.suppress(queue.Full):
            self._texts.put_nowait(None)
            self._thread.join(_LAST_WORDS)

    def _write_all(self) -> None:
        while (text := self._texts.get()) is not None:
            if self._lost:
                text, self._lost = f"{text}multihop: {self._lost} texts were left out here; nobody read them.\n", 0
            with contextlib.suppress(OSError, ValueError):
                self._write(text)

    def _write(self, text: str) -> None:
        try:
            number = self._stream.fileno()
        except (OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
            return
        rest = memoryview(text.encode(self.encoding, "backslashreplace"))
        while rest:  # without the stream's own lock, at which the end of the process would wait
            rest = rest[os.write(number, rest) :]


@contextlib.contextmanager
def unblocked_errors() -> Iterator[None]:
    """For as long as the block runs, nothing that is written to the error stream waits for whoever reads it.

    Examples:
        >>> import contextlib, io, sys
        >>> from multihop.serve.unblocked import unblocked_errors
        >>> read = io.StringIO()
        >>> with contextlib.redirect_stderr(read), unblocked_errors():
        ...     written = sys.stderr.write("answered")
        >>> read.getvalue()
        'answered'
    """
    before = sys.stderr
    stream = _Unblocked(before)  # type: ignore[arg-type]
    sys.stderr = stream  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stderr = before
        stream.end()
