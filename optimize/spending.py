"""The LM calls that a compile or a study has made, counted over all invocations, and the limit that ends it."""

import os
import threading
from contextlib import suppress
from typing import IO, Any, Self

from ..base import naming_refusals, open_ordinary


class Spent(BaseException):
    """The calls are used up; not an Exception, so that no optimizer takes it for a question that failed."""


class Spending:
    """A DSPy usage tracker that counts calls and raises `Spent` with the last one; answers from a cache are free.

    With a ledger, calls of earlier invocations count too. The ledger is a file with one byte for each call: a byte is
    appended whole or not at all, so the count outlives a kill at any moment. Where the disk does not take it, no
    further call begins.
    """

    def __init__(self, limit: int | None = None, *, ledger: str | os.PathLike[str] | None = None) -> None:
        """Count from what the ledger holds; without one, nothing is kept."""
        self.limit = limit
        self.calls = 0
        """Calls of this invocation."""
        self.before = 0
        """Calls of earlier ones."""
        self._file: IO[bytes] | None = None
        self._ledger, self._unwritten = ledger or "", 0
        self._lock = threading.Lock()
        if ledger is not None:
            with naming_refusals(ledger, of_disk=False):
                if os.path.exists(ledger):
                    open_ordinary(ledger).close()  # a pipe would be waited for
                self._file = open(ledger, "ab", buffering=0)  # noqa: SIM115 - closed when the block ends
            self.before = self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()

    @property
    def in_all(self) -> int:
        """Calls of all invocations."""
        return self.before + self.calls

    def check(self) -> None:
        """Raise `Spent` if not one more call may be made; refuse one if earlier ones could not be written down."""
        self._check_limit()
        with naming_refusals(self._ledger, of_disk=False):
            self._write()

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Count one call."""
        with suppress(OSError):  # `check` says so, before the next call
            self._write(1)
        self._check_limit()

    def _write(self, calls: int = 0) -> None:
        """Count so many calls, and write a byte for each call that has none yet."""
        with self._lock:
            self.calls += calls
            self._unwritten += calls
            while self._unwritten and self._file is not None and not self._file.closed:
                self._unwritten -= self._file.write(b"." * self._unwritten) or 0

    def _check_limit(self) -> None:
        if self.limit is not None and self.in_all >= self.limit:
            raise Spent

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
