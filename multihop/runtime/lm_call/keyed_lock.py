"""One at a time: who asks for what is being asked already waits for it, and then finds it kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary


class Turns:
    """A turn for each key, on whichever event loop is running.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime.lm_call.keyed_lock import Turns
        >>> turns, seen = Turns(), []
        >>> async def visit(name):
        ...     async with turns.turn("same"):
        ...         seen.append(f"{name} in")
        ...         await asyncio.sleep(0)
        ...         seen.append(f"{name} out")
        >>> async def both():
        ...     await asyncio.gather(visit("a"), visit("b"))
        >>> asyncio.run(both())
        >>> seen
        ['a in', 'a out', 'b in', 'b out']
    """

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Turn]] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """The key's turn, held for as long as the block runs."""
        turns = self._loops.setdefault(asyncio.get_running_loop(), {})
        turn = turns.setdefault(key, _Turn())
        turn.waiting += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.waiting -= 1
            if not turn.waiting:
                del turns[key]


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    """The number of those that hold it or wait for it."""
