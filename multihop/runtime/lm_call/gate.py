"""A limit on how many calls are in flight, over all questions that share a program."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from ...base.own_time import queueing


class Gate:
    """So many seats for calls, on whichever event loop is running.

    Optimizers copy programs by the dozen; the copies share the gate, so the limit is on all of them together.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import Gate
        >>> async def visit(gate):
        ...     async with gate.seat():
        ...         return "seated"
        >>> asyncio.run(visit(Gate(1)))
        'seated'
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Seats] = WeakKeyDictionary()

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[None]:
        """A seat, held for as long as the block runs; the time until there is one is nobody's own."""
        seats = self._here().free
        with queueing():
            await seats.acquire()
        try:
            yield
        finally:
            seats.release()

    @contextmanager
    def wanting(self) -> Iterator[None]:
        """A block in which a call has a seat, or will take one."""
        seats = self._here()
        seats.wanted += 1
        try:
            yield
        finally:
            seats.wanted -= 1

    def free(self) -> int:
        """The number of further calls that would get a seat at once."""
        return max(0, self.limit - self._here().wanted)

    def _here(self) -> "_Seats":
        loop = asyncio.get_running_loop()
        return self._loops.setdefault(loop, _Seats(asyncio.Semaphore(self.limit)))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)


@dataclass(slots=True)
class _Seats:
    """The seats on one event loop."""

    free: asyncio.Semaphore
    wanted: int = 0
    """The number of calls that hold one, wait for one, or will take one."""
