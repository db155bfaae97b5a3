"""The calls of one question, let in wave by wave, so that which of them fit its budget does not depend on their speed.

A wave is let in when nothing is under way for the question any more: all calls that wait to begin then stand in the
order of their branches, and begin at once as far as the budget lasts. So the same question under the same budget makes
the same calls, however fast each of them is and whatever else is answered beside it.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...base.own_time import queueing

QUIET = 32
"""Turns of the event loop in which nothing may come or begin before a wave is let in: more than a method needs from
one call to the next."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that wants to begin."""

    role: str
    """The step's name."""
    model: str
    """The LM's name."""
    reserve: int | None
    """Calls that must still fit after it; None for a call that is made in any case."""
    path: tuple[int, ...] = ()
    """The branch it is made in."""
    content: str = ""
    """The words of its inputs: of several in one branch, they decide the order."""
    prompt: int = 0
    """Tokens of its prompt, as they are estimated; 0 where the budget does not count them."""
    answer: int | None = None
    """Tokens of its answer at most; None where the LM has no such limit."""


class OverBudget(Exception):
    """The budget for a question's search has run out; `Program.attempt` catches it."""


class Waves:
    """Lets the calls of one question begin."""

    def __init__(
        self, reached: "Callable[[PlannedCall, list[PlannedCall]], str | None]", book: Callable[[PlannedCall], None]
    ) -> None:
        """Nothing is under way.

        Args:
            reached: Names the limit that a call would pass if it began beside those calls; None if it fits.
            book: Takes note of a call that begins.
        """
        self._reached, self._book = reached, book
        self._waiting: dict[asyncio.Future[None], PlannedCall] = {}
        self._under_way = self._come = 0
        self._watch: asyncio.Task[None] | None = None

    async def turn(self, planned: PlannedCall) -> None:
        """Wait until the call may begin.

        Raises:
            OverBudget: It does not fit.
        """
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = planned
        self._come += 1
        self._look()
        try:
            with queueing():
                await turn
        finally:
            self._waiting.pop(turn, None)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """A block of work that is under way: no call that waits begins before its end."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._look()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A block inside such work that waits for others, perhaps for a call that waits for its turn."""
        self._under_way -= 1
        self._look()
        try:
            yield
        finally:
            self._under_way += 1

    def _look(self) -> None:
        if self._waiting and not self._under_way and self._watch is None:
            self._watch = asyncio.create_task(self._let_in_when_quiet())

    async def _let_in_when_quiet(self) -> None:
        come, quiet = self._come, 0
        while quiet < QUIET and self._waiting and not self._under_way:
            await asyncio.sleep(0)
            come, quiet = self._come, quiet + 1 if come == self._come else 0
        if quiet == QUIET and not self._under_way:
            self._let_in()
        self._watch = None
        self._look()

    def _let_in(self) -> None:
        """Begin what fits, in the order of the branches; what may fit after these calls waits for the next wave."""
        begun: list[PlannedCall] = []
        for turn, planned in sorted(
            self._waiting.items(), key=lambda each: (each[1].path, each[1].role, each[1].content)
        ):
            if turn.done():
                continue  # who waited for it has given up
            try:
                limit = self._reached(planned, begun)
            except Exception as error:  # such as a price that nobody knows: who waits hears of it
                turn.set_exception(error)
                continue
            if limit is not None and begun and self._reached(planned, []) is None:
                return
            if limit is None:
                begun.append(planned)
                self._book(planned)
                turn.set_result(None)
            else:
                turn.set_exception(OverBudget(limit))
            del self._waiting[turn]
