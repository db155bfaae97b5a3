"""The log of a server, one JSON object a line, and the error stream that it is written to."""

import contextlib
import io
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

from ..base.secrets import hide_secrets
from ..base.texts import as_json

_OF_FAILURES = ("error", "reason")
"""The fields that hold an error's words."""


class EventLog:
    """Writes events to a stream, by default the error stream.

    Examples:
        >>> import io
        >>> from multihop.serve.log import EventLog
        >>> stream = io.StringIO()
        >>> EventLog(stream).write("answered", seconds=0.5, private={"question": "Who?"})
        >>> "answered" in stream.getvalue(), "Who?" in stream.getvalue()
        (True, False)
    """

    def __init__(self, stream: TextIO | None = None, *, with_texts: bool = False) -> None:
        """A log without texts unless they are wanted."""
        self._stream, self.with_texts = stream, with_texts

    def write(self, event: str, *, private: dict[str, Any] | None = None, **fields: Any) -> None:
        """One line; what is private is left out unless texts are wanted."""
        shown = {**fields, **(private or {})} if self.with_texts else fields
        shown |= {name: hide_secrets(str(shown[name])) for name in _OF_FAILURES if name in shown}
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        stream = self._stream or sys.stderr
        with suppress(OSError, ValueError):  # a log that nobody takes any more ends no question
            stream.write(as_json({"time": now, "event": event, **shown}, ascii_only=True) + "\n")
            stream.flush()


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
        >>> from multihop.serve.log import unblocked_errors
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
