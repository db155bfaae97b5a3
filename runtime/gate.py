"""A limit on how many calls are in flight, over all questions that share a program."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary


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
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def seat(self) -> asyncio.Semaphore:
        """A seat, held for as long as an `async with` block runs."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops[loop] = asyncio.Semaphore(self.limit)
        return self._loops[loop]

    def free(self) -> int:
        """How many more calls would get a seat at once."""
        return self.seat()._value

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)
