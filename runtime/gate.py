"""A limit on how many calls are in flight, over all questions that share a program."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary


class Gate:
    """So many seats for calls, on whichever event loop is running.

    Calls are let in one per turn of the loop. When a crowd arrives, each call is then on its way to the LM before
    the next one is prepared; otherwise all would be prepared first, and the LM would sit idle meanwhile.

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
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[asyncio.Semaphore, asyncio.Lock]] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[None]:
        """A seat, held for as long as the block runs."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops[loop] = asyncio.Semaphore(self.limit), asyncio.Lock()
        seats, turn = self._loops[loop]
        async with seats:
            await turn.acquire()
            loop.call_soon(turn.release)
            yield

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)
