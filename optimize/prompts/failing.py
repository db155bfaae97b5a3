"""Ends an optimizer whose LM fails again and again in the same way.

DSPy's optimizers take a call that fails for a question without a score. With a key that is refused, or a server that is
gone, they would go on to their end and return what nothing was learned from.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from ...base import RunFailed
from ...evaluation.row import cause_of, failure_of
from ...evaluation.stopping import Streak, as_sentence


class Failing(BaseException):
    """All fails in the same way; not an Exception, so that no optimizer takes it for a question that failed."""


@contextmanager
def ended_by_equal_failures() -> Iterator[None]:
    """A block that ends where the first ten LM calls fail in the same way, or any twenty one after the other.

    Raises:
        RunFailed: They did, or the optimizer gave up after a few of them.
    """
    calls = _Calls()
    try:
        with dspy.context(callbacks=[*(dspy.settings.callbacks or ()), calls]):
            yield
    except Failing as error:
        raise RunFailed(str(error)) from error.__cause__
    except Exception as error:
        if (ending := calls.streak.ending) is None:
            raise
        raise RunFailed(_told(*ending)) from error


class _Calls(BaseCallback):  # type: ignore[misc]
    """Hears how each call of an LM ends."""

    def __init__(self) -> None:
        self.streak = Streak("LM calls")
        self.end = ""
        """The sentence with which everything ends, of the call that was once too often; those beside it repeat it."""
        self._lock = threading.Lock()

    def on_lm_end(self, call_id: str, outputs: Any, exception: BaseException | None = None) -> None:
        """Count it, and end everything once that is too often."""
        if exception is not None and not isinstance(exception, Exception):
            return  # it was given up
        failure = None if exception is None else failure_of(exception)
        with self._lock:
            how_often = self.streak.after(failure)
            if failure is None or how_often is None:
                return
            self.end = self.end or _told(cause_of(failure), how_often)
        raise Failing(self.end) from exception


def _told(cause: str, how_often: str) -> str:
    return f"{as_sentence(cause)} {how_often}; the compile was stopped, the same command goes on with it."
