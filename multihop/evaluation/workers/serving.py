"""The side of a worker: it answers questions, and leaves everything else to the process that asks."""

import asyncio
import pickle
from collections.abc import Callable

import dspy

from ...base import MultihopError, RunFailed
from ...data import Question
from ...runtime import current_prices
from ...runtime.lm_call.answer_cache import Caching, current_caching
from .asking import ask_here, take_waiting
from .job import PackedJob, unpack_job
from .remote_ledger import RemoteLedger
from .worker import Message


class Serving:
    """One job after the other, in a process that is a worker."""

    def __init__(self) -> None:
        """No job yet, on the running event loop."""
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._outbox: asyncio.Queue[Message] = asyncio.Queue()
        self._job: asyncio.Task[None] | None = None

    async def open(self, packed: bytes) -> None:
        """Begin a job, in the place of the one before."""
        if self._job is not None and not self._job.done():
            self._job.cancel()
            await asyncio.gather(self._job, return_exceptions=True)
        self._inbox, self._outbox = asyncio.Queue(), asyncio.Queue()
        outbox, loop = self._outbox, asyncio.get_running_loop()

        def say(message: Message) -> None:  # from any thread
            loop.call_soon_threadsafe(outbox.put_nowait, message)

        self._job = asyncio.create_task(serve(packed, self._inbox, say))

    def tell(self, messages: list[Message]) -> None:
        """Take messages for the job."""
        for message in messages:
            self._inbox.put_nowait(message)

    async def hear(self) -> list[Message]:
        """All that the job has to say, once there is something."""
        return await take_waiting(self._outbox)


async def serve(packed: bytes, inbox: "asyncio.Queue[Message]", say: Callable[[Message], None]) -> None:
    """Do a job: answer what comes in until the end is told, and say what there is to say of it."""
    try:
        job = await asyncio.to_thread(unpack_job, packed)
    except Exception as error:
        say(("refused", _as_told(error)))
        return
    ledger = RemoteLedger(say, job.engines, counted=job.counted)
    current_prices.set(job.prices)
    current_caching.set(Caching(job.scope, job.draw, ledger, ledger.opens))
    surroundings = {"lm": job.lm, "adapter": job.adapter, "usage_tracker": ledger, "callbacks": []}
    try:
        with dspy.context(**surroundings, disable_history=True, trace=None):
            await _answer_asked(job, ledger, inbox, say)
    except Exception as error:
        say(("refused", _as_told(error)))
    say(("ended",))


async def _answer_asked(
    job: PackedJob, ledger: RemoteLedger, inbox: "asyncio.Queue[Message]", say: Callable[[Message], None]
) -> None:
    asked: dict[int, asyncio.Task[None]] = {}
    async with ask_here(job.job) as asker:

        async def answer(number: int, question: Question) -> None:
            try:
                say(("row", number, await asker.ask(question)))
            except Exception as error:
                say(("failed", number, _as_told(error)))
            finally:
                asked.pop(number, None)

        say(("ready",))
        try:
            while (message := await inbox.get())[0] != "end":
                about, number, *rest = message
                if about == "ask":
                    asked[number] = asyncio.create_task(answer(number, *rest))
                elif about == "kept":
                    ledger.reply(number, *rest)
                elif number in asked:
                    asked[number].cancel()
        finally:
            under_way = list(asked.values())
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


def _as_told(error: Exception) -> Exception:
    """The error, if it can be handed on and understood elsewhere, else what it says."""
    if isinstance(error, MultihopError):
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return type(error)(str(error))
        return error
    return RunFailed(f"a worker failed with {type(error).__name__}: {error}")
