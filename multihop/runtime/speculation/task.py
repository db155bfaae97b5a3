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

current_task: ContextVar["SpeculativeTask | None"] = ContextVar("multihop_speculative_task", default=None)
"""The task of the running code; None where it is the search itself."""


@dataclass(slots=True, eq=False)
class SpeculativeTask:
    """One piece of work that is done ahead."""

    rank: float = NEVER
    """The order in which it will be needed: 0 is now, `NEVER` probably not."""
    askers: list["SpeculativeTask"] = field(default_factory=list)
    """Other tasks that wait for it."""
    running: "asyncio.Task[Any] | None" = None
    """The task of asyncio that does it; None where nothing is done ahead."""

    @property
    def urgency(self) -> float:
        """Its own rank, or that of the most urgent task that waits for it."""
        return min([self.rank, *(asker.urgency for asker in self.askers)])


class SpeculativeTasks:
    """All tasks of a question; of their calls that nobody waits for yet, only so many are in flight at once."""

    def __init__(self, limit: int, free: Callable[[], int]) -> None:
        """No task yet.

        Args:
            limit: Calls in flight at most that nobody waits for.
            free: The number of calls that could be made at once without keeping anybody waiting.
        """
        self.limit, self.free = limit, free
        self._begun: list[SpeculativeTask] = []
        self._waiting: dict[asyncio.Future[None], SpeculativeTask] = {}
        self._in_flight: list[SpeculativeTask] = []

    def begin(self, work: Coroutine[Any, Any, Any], rank: float) -> SpeculativeTask:
        """Start a task."""
        task = SpeculativeTask(rank)
        outer = current_task.set(task)
        task.running = asyncio.create_task(work)
        current_task.reset(outer)
        self._begun.append(task)
        return task

    @asynccontextmanager
    async def slot(self, task: SpeculativeTask) -> AsyncIterator[None]:
        """A slot for one call of the task, as soon as its turn has come."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = task
        self.admit()
        try:
            await turn
        except asyncio.CancelledError:
            self._waiting.pop(turn, None)
            if turn.done() and not turn.cancelled():
                self._in_flight.remove(task)
            raise
        try:
            yield
        finally:
            self._in_flight.remove(task)
            self.admit()

    def admit(self) -> None:
        """Let in whose turn has come, now that a rank has changed or a slot is free."""
        if not self._waiting:
            return
        room = min(self.limit - sum(task.urgency > NOW for task in self._in_flight), self.free())
        waiting = [(task.urgency, place, turn) for place, (turn, task) in enumerate(self._waiting.items())]
        for urgency, _, turn in sorted(waiting):
            if urgency > NOW:
                if urgency == NEVER or room <= 0:
                    return
                room -= 1
            self._in_flight.append(self._waiting.pop(turn))
            turn.set_result(None)

    async def end(self, keep: Collection[SpeculativeTask] = ()) -> None:
        """End what is still under way, but for the tasks to keep."""
        running = [task.running for task in self._begun if task.running is not None and task not in keep]
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
