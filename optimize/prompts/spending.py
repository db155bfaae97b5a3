"""A limit on the LM calls of a whole compile, kept over all invocations of it."""

import os
import threading
from typing import IO, Any, Self

from ...base import InputError


class Spent(BaseException):
    """The calls are used up; not an Exception, so that no optimizer takes it for a question that failed."""


class Spending:
    """A DSPy usage tracker that counts calls and raises `Spent` with the last one; answers from a cache are free.

    With a ledger, calls of earlier invocations count too. The ledger is a file with one byte for each call: a byte is
    appended whole or not at all, so the count outlives a kill at any moment.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.optimize.prompts.spending import Spending, Spent
        >>> ledger = pathlib.Path(tempfile.mkdtemp()) / "calls"
        >>> with Spending(limit=2, ledger=ledger) as first:
        ...     first.add_usage("lm", {})
        >>> with Spending(limit=2, ledger=ledger) as second:
        ...     try:
        ...         second.add_usage("lm", {})
        ...     except Spent:
        ...         print(second.calls, second.in_all)
        1 2
    """

    def __init__(self, limit: int | None = None, *, ledger: str | os.PathLike[str] | None = None) -> None:
        """Count from what the ledger holds.

        Args:
            limit: Calls at most, over all invocations that share the ledger.
            ledger: The file that keeps the count; without it, nothing is kept.
        """
        self.limit = limit
        self.calls = 0
        """Calls of this invocation."""
        self.before = 0
        """Calls of earlier ones."""
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()
        if ledger is not None:
            try:
                self._file = open(ledger, "ab", buffering=0)  # noqa: SIM115 - closed when the block ends
            except OSError as error:
                raise InputError(f"cannot keep the count of calls in {ledger}: {error.strerror}.") from error
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
        """Raise `Spent` if not one more call may be made."""
        if self.limit is not None and self.in_all >= self.limit:
            raise Spent

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Count one call."""
        with self._lock:
            self.calls += 1
            if self._file is not None and not self._file.closed:
                self._file.write(b".")
        self.check()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
