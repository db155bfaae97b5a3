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

    def check(self) -> None:
        """Refuse a question for which there is neither a slot nor a place to wait.

        Raises:
            Refusal: There is none; its Retry-After is about when there will be.
        """
        if self.running + self.waiting >= self.in_flight + self.queued:
            seconds = math.ceil(self._usual_seconds * (self.waiting + 1) / self.in_flight)
            seconds = min(max(seconds, 1), _LONGEST_WAIT)
            answered = "1 question is" if self.running == 1 else f"{self.running} questions are"
            sentence = f"{answered} being answered and {self.waiting} wait; ask again in {seconds} s."
            raise Refusal(429, sentence, Retry_After=str(seconds))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A slot, held for as long as the block runs; the first who came is the first to get one.

        Raises:
            Refusal: As `check`.
        """
        self.check()
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        started = time.monotonic()
        try:
            yield
        finally:
            self.running -= 1
            self._slots.release()
            self._usual_seconds += 0.1 * (time.monotonic() - started - self._usual_seconds)
