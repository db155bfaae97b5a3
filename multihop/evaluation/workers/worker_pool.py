"""All workers of a run: who gets which question, and what becomes of it when a worker dies."""

import asyncio
from contextlib import suppress

from ...base import RunFailed
from ...data import Question
from ..journal.row import Row, failed_row
from .asking import Asker
from .job import Job, engines_of, pack_job
from .worker import WorkerDied, Workers
from .worker_session import WorkerSession

ATTEMPTS = 3
"""Workers that may die with a question before the question counts as failed."""
DEATHS = 3
"""Workers that die in one place, one after the other and without an answer, before nobody takes it any more."""
SECONDS = 10.0
"""The time that workers may take to end a job."""


class WorkerPool:
    """Workers at a job for as long as the block lasts, under the context variables of who enters it.

    Each question goes to the worker that has the fewest; to another one if that one dies.
    """

    def __init__(self, workers: Workers, job: Job) -> None:
        """Nobody works before the block is entered.

        Raises:
            InputError: The job cannot leave this process.
        """
        self._workers, self._each = workers, job.concurrency
        self._packed, self._engines = pack_job(job), engines_of(job)
        self._places: list[asyncio.Task[None]] = []
        self._filling: set[asyncio.Task[None]] = set()
        """The places that have a worker, or wait for one."""
        self._sessions: dict[asyncio.Task[None], WorkerSession] = {}
        self._waiting = 0
        self._change = asyncio.Event()
        self._over: BaseException | None = None
        self._last: BaseException | None = None
        self._ending = False

    async def __aenter__(self) -> Asker:
        self._places = [asyncio.create_task(self._fill_place()) for _ in range(self._workers.count)]
        self._filling = set(self._places)
        for place in self._places:
            place.add_done_callback(self._leave)
        return Asker(self._workers.count * self._each, self.ask)

    async def __aexit__(self, *_: object) -> None:
        self._ending = True
        for session in self._sessions.values():
            session.end()
        if self._sessions:
            await asyncio.wait(list(self._sessions), timeout=SECONDS)
        for place in self._places:
            place.cancel()
        await asyncio.gather(*self._places, return_exceptions=True)

    async def ask(self, question: Question) -> Row:
        """The question's row; it has failed if several workers died with it.

        Raises:
            RunFailed: No worker is left, and none can be started any more.
            BaseException: The error that ends the run, such as that the calls are used up.
        """
        for _ in range(ATTEMPTS):
            session = await self._free_session()
            try:
                return await session.ask(question)
            except WorkerDied as death:
                error: WorkerDied = death
            finally:
                self._tell_change()
        return failed_row(question, WorkerDied(f"{ATTEMPTS} workers died while they had this question; {error}"))

    async def _fill_place(self) -> None:
        """Keep a worker at the job, and another one where it dies, until the job is done."""
        left = DEATHS
        while left and self._over is None and not self._ending:
            left -= 1
            try:
                worker = await self._workers.start()
            except WorkerDied as error:
                self._last = error
                continue
            except RunFailed as error:  # there is no room for it, and others may do without
                self._last = error
                return
            except Exception as error:
                self._fail(error)
                return
            session = WorkerSession(worker, self._engines, self._fail)
            try:
                await self._work(session)
                return
            except WorkerDied as error:
                self._last = error
            except Exception as error:
                self._fail(error)
                return
            finally:
                left = DEATHS if session.has_answered else left
                if session.has_ended.is_set():
                    self._workers.spare(worker)
                else:
                    worker.stop()

    def _leave(self, place: "asyncio.Task[None]") -> None:
        """Take note that a place will have no worker any more."""
        self._filling.discard(place)
        self._tell_change()
        if not self._filling and not self._ending:
            reason = "" if self._last is None else f" The last one: {self._last}"
            self._fail(
                RunFailed(
                    f"no worker is left of {self._workers.title}, and none could be started in their place; what is "
                    f"finished is kept, the same command goes on with it.{reason}"
                )
            )

    def _fail(self, error: BaseException) -> None:
        """End the run with this error: whoever asks, or waits to, is told so."""
        if self._over is None:
            self._over = error
        for session in self._sessions.values():
            session.may_call = False
            for row in session.asked.values():
                if not row.done():
                    row.set_exception(error)
        self._tell_change()

    async def _work(self, session: WorkerSession) -> None:
        working = asyncio.create_task(session.work(self._packed))
        ready = asyncio.create_task(session.is_ready.wait())
        try:
            await asyncio.wait([working, ready], return_when=asyncio.FIRST_COMPLETED)
            if session.is_ready.is_set() and not self._ending:
                self._sessions[working] = session
                self._tell_change()
            await working
        finally:
            ready.cancel()
            working.cancel()
            with suppress(BaseException):
                await working
            self._sessions.pop(working, None)

    async def _free_session(self) -> WorkerSession:
        """The worker that has the fewest questions, once one has room for another."""
        self._waiting += 1
        try:
            while True:
                change = self._change
                if self._over is not None:
                    raise self._over
                there = [session for session in self._sessions.values() if not session.is_gone]
                session = min(there, key=lambda each: len(each.asked), default=None)
                if session is not None and len(session.asked) < min(self._each, self._share()):
                    return session
                await change.wait()
        finally:
            self._waiting -= 1

    def _share(self) -> int:
        """The number of questions at hand that a worker gets, so that those that are still starting find theirs."""
        at_hand = self._waiting + sum(len(session.asked) for session in self._sessions.values())
        return -(-at_hand // max(1, len(self._filling)))

    def _tell_change(self) -> None:
        """Wake who waits for a worker."""
        self._change.set()
        self._change = asyncio.Event()
