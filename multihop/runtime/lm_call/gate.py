"""A limit on how many calls are in flight, over all questions that share a program."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from ...base.own_time import queueing


class Gate:
    """So many slots for calls, on whichever event loop is running.

    Optimizers copy programs by the dozen; the copies share the gate, so the limit is on all of them together.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import Gate
        >>> async def visit(gate):
        ...     async with gate.slot():
        ...         return "entered"
        >>> asyncio.run(visit(Gate(1)))
        'entered'
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Slots] = WeakKeyDictionary()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A slot, held for as long as the block runs; the time until there is one is nobody's own."""
        slots = self._here().free
        with queueing():
            await slots.acquire()
        try:
            yield
        finally:
            slots.release()

    @contextmanager
    def wanting(self) -> Iterator[None]:
        """A block in which a call has a slot, or will take one."""
        slots = self._here()
        slots.wanted += 1
        try:
            yield
        finally:
            slots.wanted -= 1

    def free(self) -> int:
        """The number of further calls that would get a slot at once."""
        return max(0, self.limit - self._here().wanted)

    def _here(self) -> "_Slots":
        loop = asyncio.get_running_loop()
        return self._loops.setdefault(loop, _Slots(asyncio.Semaphore(self.limit)))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)


@dataclass(slots=True)
class _Slots:
    """The slots on one event loop."""

    free: asyncio.Semaphore
    wanted: int = 0
    """The number of calls that hold one, wait for one, or will take one."""
