"""The bill, the usage and the kept answers as a worker sees them: every line goes to the process that keeps them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from ...base.plain import plain_value
from ...runtime.cost.bill import CachedCall
from ...runtime.cost.tokens import Tokens
from ...runtime.lm_call.answer_cache import Place, open_store
from ...runtime.lm_call.stores import Store
from .worker import Message


class RemoteLedger:
    """The bill, the usage tracker and the kept answers of a process that keeps none itself."""

    def __init__(self, say: Callable[[Message], None], engines: Sequence[Any], *, counted: bool) -> None:
        """Say everything to the other side.

        Args:
            say: Takes messages, from whichever thread.
            engines: The engine objects that the other side knows by their numbers.
            counted: True if the other side wants to hear of usage.
        """
        self.say, self._counted = say, counted
        self._engines = {id(engine): number for number, engine in enumerate(engines)}
        self.numbers = count()
        """The numbers of the turns."""
        self.waiting: dict[int, asyncio.Future[CachedCall | None]] = {}
        """The turns that were asked for."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "RemoteLedger":
        return self  # DSPy's Parallel copies the usage tracker for each thread

    def check(self) -> None:
        """Nothing: the process that has the bill checks it before it hands out a question."""

    def add(self, role: str, model: str, tokens: Tokens) -> None:
        """Write down a call that was paid."""
        self.say(("bill", role, model, tokens))

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Count a call, if anybody does."""
        if self._counted:
            self.say(("usage", lm, plain_value(usage_entry)))

    def opens(self, place: Place) -> Store:
        """The store of that place on the other side; one in this process for an engine that only this process has."""
        if isinstance(place, str):
            return RemoteStore(self, place)
        number = self._engines.get(id(place))
        return open_store(place) if number is None else RemoteStore(self, number)

    def reply(self, number: int, call: CachedCall | None) -> None:
        """Take the answer to the `turn` of that number."""
        waiting = self.waiting.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(call)


class RemoteStore:
    """Calls that the other side keeps, in one of its stores."""

    def __init__(self, ledger: RemoteLedger, place: str | int) -> None:
        """The store of that name, or of the engine with that number."""
        self._ledger, self._place = ledger, place

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[CachedCall | None]:
        """The call's turn among all workers, and the call if it was made before."""
        ledger, number = self._ledger, next(self._ledger.numbers)
        ledger.waiting[number] = asyncio.get_running_loop().create_future()
        ledger.say(("turn", number, self._place, key))
        try:
            yield await ledger.waiting[number]
        finally:
            del ledger.waiting[number]
            ledger.say(("done", number))

    async def keep(self, key: str, call: CachedCall) -> None:
        """Have the call kept."""
        self._ledger.say(("keep", self._place, key, call))
