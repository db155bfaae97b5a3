"""The seconds that work takes by itself, without those in which it waits for its turn."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar


class Clock:
    """The seconds of one piece of work, without those in which it waited for its turn."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Running from now on.

        Args:
            now: The time in seconds.
        """
        self._now, self._started = now, now()
        self.waited = 0.0
        self.credits: dict[object, float] = {}
        """Its shares of what others did for it, by what they did."""
        self._waiters, self._since = 0, 0.0

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block in which the work waits; where several parts of it wait at once, that counts once."""
        if not self._waiters:
            self._since = self._now()
        self._waiters += 1
        try:
            yield
        finally:
            self._waiters -= 1
            if not self._waiters:
                self.waited += self._now() - self._since

    def leave_out(self, seconds: float) -> None:
        """Leave out seconds in which the work waited, told afterwards."""
        self.waited += seconds

    def credit(self, what: object, seconds: float) -> None:
        """Add the work's share of something that others did for it while it waited; once, however often it is told."""
        self.credits[what] = seconds

    @property
    def seconds(self) -> float:
        """The work's own seconds until now."""
        now = self._now()
        waiting = now - self._since if self._waiters else 0.0
        return max(0.0, now - self._started - self.waited - waiting) + sum(self.credits.values())


current_clock: ContextVar[Clock | None] = ContextVar("multihop_clock", default=None)
"""The clock of the running work; None where nobody measures it."""
current_asker: ContextVar[object | None] = ContextVar("multihop_asker", default=None)
"""The question that the running work is done for: what it asks for at once, it would also ask for at once alone."""


@contextmanager
def timing(now: Callable[[], float] = time.monotonic) -> Iterator[Clock]:
    """A block of work with a clock of its own; the clock around it leaves out the same waiting.

    Args:
        now: The time in seconds.
    """
    outer, clock = current_clock.get(), Clock(now)
    token = current_clock.set(clock)
    try:
        yield clock
    finally:
        current_clock.reset(token)
        if outer is not None:
            outer.leave_out(clock.waited)
            outer.credits |= clock.credits


def queueing() -> AbstractContextManager[None]:
    """A block in which the running work waits for its turn."""
    clock = current_clock.get()
    return nullcontext() if clock is None else clock.paused()
