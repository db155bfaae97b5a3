"""A limit on how many calls are in flight, over all questions that share a program."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary


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
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def slot(self) -> asyncio.Semaphore:
        """A slot, held for as long as the block runs."""
        return self._loops.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.limit))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)
