"""Lets questions in: so many at once, so many more that wait, and a refusal for all others."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .refusal import Refusal

_LONGEST_WAIT = 60


class Admission:
    """So many slots for questions, and a queue before them that does not grow for ever."""

    def __init__(self, *, in_flight: int, queued: int) -> None:
        """Nobody has come yet."""
        self.in_flight, self.queued = in_flight, queued
        self.running, self.waiting = 0, 0
        self._slots = asyncio.Semaphore(in_flight)
        self._usual_seconds = 1.0

    def place(self) -> "Place":
        """A place in the queue, which counts from now on.

        Raises:
            Refusal: There is neither a slot nor a place to wait; its Retry-After is about when there will be.
        """
        if self.running + self.waiting >= self.in_flight + self.queued:
            seconds = math.ceil(self._usual_seconds * (self.waiting + 1) / self.in_flight)
            seconds = min(max(seconds, 1), _LONGEST_WAIT)
            answered = "1 question is" if self.running == 1 else f"{self.running} questions are"
            sentence = f"{answered} being answered and {self.waiting} wait; ask again in {seconds} s."
            raise Refusal(429, sentence, Retry_After=str(seconds))
        return Place(self)


class Place:
    """A place in the queue before the slots, until it is left or changed for a slot."""

    def __init__(self, admission: Admission) -> None:
        """The last place."""
        self._admission, self._left = admission, False
        admission.waiting += 1

    def leave(self) -> None:
        """Leave it to others; a place that was left already stays so."""
        if not self._left:
            self._left = True
            self._admission.waiting -= 1

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """The slot for which it waits, held for as long as the block runs; who waited first is the first to get one."""
        admission = self._admission
        try:
            await admission._slots.acquire()
        finally:
            self.leave()
        admission.running += 1
        started = time.monotonic()
        try:
            yield
        finally:
            admission.running -= 1
            admission._slots.release()
            admission._usual_seconds += 0.1 * (time.monotonic() - started - admission._usual_seconds)
