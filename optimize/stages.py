"""The stages of a compile as they go on, and the LM calls they take, which a limit over all invocations may end."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, Self

from ..base import InputError, open_ordinary
from ..evaluation.row import Row


class Spent(BaseException):
    """The calls are used up; not an Exception, so that no optimizer takes it for a question that failed."""


class Spending:
    """A DSPy usage tracker that counts calls and raises `Spent` with the last one; answers from a cache are free.

    With a ledger, calls of earlier invocations count too. The ledger is a file with one byte for each call: a byte is
    appended whole or not at all, so the count outlives a kill at any moment. Where the disk does not take it, no
    further call begins.
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
        self._ledger, self._unwritten = ledger, 0
        self._lock = threading.Lock()
        if ledger is not None:
            try:
                if os.path.exists(ledger):
                    open_ordinary(ledger).close()  # a pipe would be waited for
                self._file = open(ledger, "ab", buffering=0)  # noqa: SIM115 - closed when the block ends
            except OSError as error:
                raise _refusal(ledger, error) from error
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
        """Raise `Spent` if not one more call may be made.

        Raises:
            InputError: Calls that were made could not be written down.
        """
        self._check_limit()
        with self._lock:
            try:
                self._write()
            except OSError as error:
                raise _refusal(self._ledger, error) from error

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Count one call."""
        with self._lock:
            self.calls += 1
            self._unwritten += 1
            with suppress(OSError):  # `check` says so, before the next call
                self._write()
        self._check_limit()

    def _write(self) -> None:
        """Write a byte for each call that has none yet."""
        while self._unwritten and self._file is not None and not self._file.closed:
            self._unwritten -= self._file.write(b"." * self._unwritten) or 0

    def _check_limit(self) -> None:
        if self.limit is not None and self.in_all >= self.limit:
            raise Spent

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _refusal(ledger: str | os.PathLike[str] | None, error: OSError) -> InputError:
    return InputError(f"cannot keep the count of calls in {ledger}: {error.strerror}.")


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compile, from the moment it begins."""

    what: str
    """The stage's work, in a line."""
    variant: str | None = None
    """The variant that is compiled or scored; None in what comes before all of them."""
    questions: int = 0
    """Dev questions that the stage scores; 0 where it scores none."""
    expected: int | None = None
    """An estimate of the LM calls it will take; None where it is not known yet."""
    _spending: Spending = field(default_factory=Spending, repr=False)
    _before: int = field(default=0, repr=False)

    @property
    def calls(self) -> int:
        """LM calls that the stage has taken until now; answers from a cache are none."""
        return self._spending.calls - self._before


WatchStage = Callable[[Stage, Row | None, bool], None]
"""Called with a stage and None as it begins; then with every row it scores, and whether that is from an earlier run."""
Tell = Callable[[str], None]
"""Called with a line for people."""


class Stages:
    """Announces the stages of one compile."""

    def __init__(self, spending: Spending, tell: Tell | None, watch: WatchStage | None) -> None:
        self.spending = spending
        self.tell: Tell = tell or (lambda line: None)
        self._watch: WatchStage = watch or (lambda stage, row, earlier: None)

    def begin(
        self, what: str, *, variant: str | None = None, questions: int = 0, expected: int | None = None
    ) -> Callable[[Row, bool], None]:
        """A stage begins; what is returned is to be called with every row it scores."""
        stage = Stage(what, variant, questions, expected, self.spending, self.spending.calls)
        self.tell(what)
        self._watch(stage, None, False)
        return lambda row, earlier: self._watch(stage, row, earlier)
