"""Work done ahead of being needed, and which of its calls go first."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

NOW, NEVER = 0.0, math.inf
"""The ranks of what is waited for, and of what is not to go on for now."""

current_errand: ContextVar["Errand | None"] = ContextVar("multihop_errand", default=None)
"""The errand of the running code; None where it is the search itself."""


@dataclass(slots=True, eq=False)
class Errand:
    """One piece of work that is done ahead."""

    rank: float = NEVER
    """The order in which it will be needed: 0 is now, `NEVER` probably not."""
    askers: list["Errand"] = field(default_factory=list)
    """Other errands that wait for it."""
    task: "asyncio.Task[Any] | None" = None

    @property
    def urgency(self) -> float:
        """Its own rank, or that of the most urgent errand that waits for it."""
        return min([self.rank, *(asker.urgency for asker in self.askers)])


class Errands:
    """All errands of a question; of their calls that nobody waits for yet, only so many are in flight at once.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime.errand import Errands
        >>> async def main():
        ...     errands, made = Errands(limit=1, free=lambda: 9), []
        ...     async def call(name):
        ...         async with errands.seat(running[name]):
        ...             made.append(name)
        ...     running = {name: errands.begin(call(name), rank) for name, rank in (("later", 2), ("sooner", 1))}
        ...     await asyncio.wait([errand.task for errand in running.values()])
        ...     return made
        >>> asyncio.run(main())
        ['later', 'sooner']
    """

    def __init__(self, limit: int, free: Callable[[], int]) -> None:
        """No errand yet.

        Args:
            limit: Calls in flight at most that nobody waits for.
            free: The number of calls that could be made at once without keeping anybody waiting.
        """
        self.limit, self.free = limit, free
        self._begun: list[Errand] = []
        self._waiting: dict[asyncio.Future[None], Errand] = {}
        self._in_flight: list[Errand] = []

    def begin(self, work: Coroutine[Any, Any, Any], rank: float) -> Errand:
        """Start an errand."""
        errand = Errand(rank)
        outer = current_errand.set(errand)
        errand.task = asyncio.create_task(work)
        current_errand.reset(outer)
        self._begun.append(errand)
        return errand

    @asynccontextmanager
    async def seat(self, errand: Errand) -> AsyncIterator[None]:
        """A seat for one call of the errand, as soon as its turn has come."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = errand
        self.admit()
        try:
            await turn
        except asyncio.CancelledError:
            self._waiting.pop(turn, None)
            if turn.done() and not turn.cancelled():
                self._in_flight.remove(errand)
            raise
        try:
            yield
        finally:
            self._in_flight.remove(errand)
            self.admit()

    def admit(self) -> None:
        """Let in whose turn has come, now that a rank has changed or a seat is free."""
        if not self._waiting:
            return
        room = min(self.limit - sum(errand.urgency > NOW for errand in self._in_flight), self.free())
        waiting = [(errand.urgency, place, turn) for place, (turn, errand) in enumerate(self._waiting.items())]
        for urgency, _, turn in sorted(waiting):
            if urgency > NOW:
                if urgency == NEVER or room <= 0:
                    return
                room -= 1
            self._in_flight.append(self._waiting.pop(turn))
            turn.set_result(None)

    async def end(self, keep: Collection[Errand] = ()) -> None:
        """End what is still under way, but for the errands to keep."""
        tasks = [errand.task for errand in self._begun if errand.task is not None and errand not in keep]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
