"""The limits of a server, and the places of those who ask it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from .refusal import Refusal

_LATER = 5
"""Seconds after which a client that found no place is told to ask again."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that one server takes on; more is refused with a sentence that says what would be taken."""

    in_flight: int = 64
    """Questions that are answered at once."""
    queued: int = 256
    """Questions that wait; 429 with Retry-After above."""
    seconds: float = 300.0
    """Seconds that answering a question, or searching, may take, waiting not included; 504 above."""
    k: int = 1000
    """Hits for a query of `/retrieve`."""
    queries: int = 1024
    """Queries of one request; 413 above."""
    hits: int = 1 << 16
    """Hits of one request, all queries together; 413 above, before anything is searched for."""
    waiting: int = 4096
    """Queries of all requests that are being searched for or wait for it; 503 with Retry-After above."""
    body_bytes: int = 1 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole and, at the end, what is under way be done."""
    connections: int = 1000
    """Clients at once; 503 above."""


class Admission:
    """Lets questions in: so many at once, so many more that wait, and a refusal for all others."""

    def __init__(self, limits: Limits) -> None:
        """Nobody has come yet."""
        self._limits = limits
        self.running, self.waiting = 0, 0
        self._slots = asyncio.Semaphore(limits.in_flight)

    def check(self) -> None:
        """Refuse a question for which there is neither a slot nor a place to wait."""
        if self.running + self.waiting >= self._limits.in_flight + self._limits.queued:
            sentence = f"{self.running} questions are being answered and {self.waiting} wait; ask again in {_LATER} s."
            raise Refusal(429, sentence, Retry_After=str(_LATER))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A slot for as long as the block runs; the first who waited is the first to get one.

        Raises:
            Refusal: There is no place to wait.
        """
        self.check()
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._slots.release()
