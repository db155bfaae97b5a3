"""One worker as the run sees it: the questions that it has, and the bill and the kept answers that it asks for."""

import asyncio
from collections.abc import Callable
from typing import Any

import dspy

from ...data import Question
from ...runtime import current_caching
from ...runtime.lm_call.answer_cache import open_store
from ...runtime.lm_call.stores import Store
from ..journal.row import Row
from .asking import take_waiting
from .worker import Message, Worker, WorkerDied


class WorkerSession:
    """A worker at its job, from its `ready` to its `ended`, or to its death."""

    def __init__(self, worker: Worker, engines: list[Any], fail: Callable[[BaseException], None]) -> None:
        """Nothing is told to it yet.

        Args:
            worker: The worker.
            engines: The engine objects that it knows by their numbers.
            fail: Called with what must end the run: the calls are used up, or a line cannot be written.
        """
        self.worker, self._engines, self._fail = worker, engines, fail
        self.asked: dict[int, asyncio.Future[Row]] = {}
        """The questions that it has, by number."""
        self.is_ready, self.has_ended = asyncio.Event(), asyncio.Event()
        self.has_answered = self.is_gone = False
        """True once it has answered a question; true once it has died."""
        self.may_call = True
        """True while LM calls that are not under way yet may be made."""
        self._number = 0
        self._to_tell: asyncio.Queue[Message] = asyncio.Queue()
        self._turns: dict[int, asyncio.Task[None]] = {}

    async def ask(self, question: Question) -> Row:
        """The question's row.

        Raises:
            WorkerDied: The worker is gone.
        """
        self._number += 1
        number, row = self._number, asyncio.get_running_loop().create_future()
        self.asked[number] = row
        self._to_tell.put_nowait(("ask", number, question))
        try:
            return await row  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            self._to_tell.put_nowait(("cancel", number))
            raise
        finally:
            del self.asked[number]

    def end(self) -> None:
        """Have it give up what it has, and say so."""
        self._to_tell.put_nowait(("end",))

    async def work(self, job: bytes) -> None:
        """Go on until it has ended.

        Raises:
            WorkerDied: It is gone; whoever asks it is told so.
        """
        telling: asyncio.Task[None] | None = None
        try:
            await self.worker.open(job)
            telling = asyncio.create_task(self._tell())
            while not self.has_ended.is_set():
                for message in await self.worker.hear():
                    await self._take(message)
        except WorkerDied as death:
            self.is_gone = True
            for row in self.asked.values():
                if not row.done():
                    row.set_exception(death)
            raise
        finally:
            tasks = [*self._turns.values(), *([telling] if telling is not None else [])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self) -> None:
        while True:
            try:
                await self.worker.tell(await take_waiting(self._to_tell))
            except WorkerDied:
                return  # who hears it notices

    async def _take(self, message: Message) -> None:
        """Do what one message asks for; those of a worker are taken one after the other."""
        about, *rest = message
        if about in ("row", "failed"):
            number, outcome = rest
            self.has_answered |= about == "row"
            row = self.asked.get(number)
            if row is not None and not row.done():
                row.set_result(outcome) if about == "row" else row.set_exception(outcome)
        elif about == "turn":
            number, place, key = rest
            self._turns[number] = asyncio.create_task(self._hold(number, self._store(place), key))
        elif about == "done":
            self._turns.pop(rest[0]).cancel()
        elif about == "ready":
            self.is_ready.set()
        elif about == "ended":
            self.has_ended.set()
        elif about == "refused":
            self._fail(rest[0])
        else:
            try:
                await self._write(about, *rest)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # also that the calls are used up, which is no Exception
                self._fail(error)

    async def _write(self, about: str, *rest: Any) -> None:
        """Write into the bill, the usage or the kept answers."""
        if about == "keep":
            place, key, call = rest
            await self._store(place).keep(key, call)
        elif about == "bill":
            bill = current_caching.get().bill
            if bill is not None:
                bill.add(*rest)
        elif about == "usage":
            tracker = dspy.settings.usage_tracker
            if tracker is not None:
                tracker.add_usage(*rest)

    async def _hold(self, number: int, store: Store, key: str) -> None:
        """Wait for the turn of a call, say whether it was made before, and keep the turn until the worker is done."""
        try:
            async with store.turn(key) as earlier:
                if self.may_call:
                    self._to_tell.put_nowait(("kept", number, earlier))
                await asyncio.get_running_loop().create_future()  # until this is cancelled
        except Exception as error:
            self._fail(error)

    def _store(self, place: str | int) -> Store:
        return open_store(self._engines[place] if isinstance(place, int) else place)
