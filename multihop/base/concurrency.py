"""Work of many tasks and threads: a background loop for synchronous callers, and questions answered in batches."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from itertools import islice
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, Self, TypeVar

Result = TypeVar("Result")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

LARGEST_BATCH = 256
AnswerBatch = Callable[[Any, list[Any], Context], Awaitable[Sequence[Any]]]
"""Answers to several questions of one kind, in their order, under the given context variables."""


class NotCopied:
    """Stays one when a program with it is copied, as optimizers of DSPy do by the dozen."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class BackgroundLoop:
    """One loop that all threads share; it begins with the first work."""

    _loop: asyncio.AbstractEventLoop | None
    _lock: Lock

    def __init__(self, name: str) -> None:
        self._name = name  # of the thread
        self._forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result, computed on the loop in a copy of the caller's context."""
        future = asyncio.run_coroutine_threadsafe(work, self._begun())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def is_here(self) -> bool:
        """True where the caller runs on this loop, and so must not wait for it."""
        return self._loop is not None and running_loop() is self._loop

    def _begun(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True).start()
            return self._loop

    def _forget(self) -> None:
        """A forked child has the loop but not the thread that ran it."""
        self._loop = None
        self._lock = Lock()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that this thread is running, if there is one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        with suppress(KeyboardInterrupt, SystemExit):  # raised by work, these end a run before they reach who asked
            loop.run_forever()


async def ask_together(owner: object, kind: Hashable, question: Hashable, answering: AnswerBatch) -> Any:
    """The answer to one question, answered together with what other tasks of this event loop ask of the same owner.

    All that tasks ready to run ask for goes to `answering` as one batch, of one kind of question; what is asked while
    a batch is answered makes the next one. A question asked twice is answered once, and its askers share the answer.
    An error reaches everyone in its batch.
    """
    key = (asyncio.get_running_loop(), id(owner))
    batcher = _batchers.get(key)
    if batcher is None:
        for closed in [other for other in list(_batchers) if other[0].is_closed()]:
            _batchers.pop(closed, None)  # a loop that was closed while a batch was being answered
        batcher = _batchers[key] = _Batcher(owner, answering, key)
    return await batcher.ask(kind, question)


class _Question(NamedTuple):
    """A question that waits, with those who asked it."""

    context: Context
    """The context variables of the first who asked: a batch is answered under those of its first question."""
    waiting: list[asyncio.Future[Any]]
    """One future for each asker, so that cancelling one leaves the others alone."""

    def is_awaited(self) -> bool:
        return not all(answer.done() for answer in self.waiting)


class _Batcher:
    """Takes the questions to one owner on one event loop, and ends when none is left."""

    def __init__(self, owner: object, answering: AnswerBatch, key: tuple[asyncio.AbstractEventLoop, int]) -> None:
        self._owner = owner  # kept alive: its id is in the key
        self._answering = answering
        self._questions: dict[tuple[Hashable, Hashable], _Question] = {}
        self._task = key[0].create_task(self._serve(key), context=Context())

    async def ask(self, kind: Hashable, content: Hashable) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        question = self._questions.get((kind, content))
        if question is None:
            question = self._questions[kind, content] = _Question(copy_context(), [])
        question.waiting.append(answer)
        return await answer

    async def _serve(self, key: tuple[asyncio.AbstractEventLoop, int]) -> None:
        batch: dict[Hashable, _Question] = {}
        try:
            while True:
                await asyncio.sleep(0)  # whoever is ready to ask now gets into this batch
                if not self._questions:
                    return
                kind, batch = self._next_batch()
                if batch:
                    await self._answer(kind, batch)
        finally:
            # From the last look at the questions to here nothing else ran on this loop, so none is forgotten.
            _batchers.pop(key, None)
            if not key[0].is_closed():  # else nobody can be told any more
                for question in (*batch.values(), *self._questions.values()):
                    for answer in question.waiting:
                        answer.cancel()

    def _next_batch(self) -> tuple[Hashable, dict[Hashable, _Question]]:
        """The oldest question and others of its kind, without those that no task waits for any more."""
        kind = next(iter(self._questions))[0]
        oldest = list(islice((asked for other, asked in self._questions if other == kind), LARGEST_BATCH))
        batch = {asked: self._questions.pop((kind, asked)) for asked in oldest}
        return kind, {asked: question for asked, question in batch.items() if question.is_awaited()}

    async def _answer(self, kind: Hashable, batch: dict[Hashable, _Question]) -> None:
        try:
            context = next(iter(batch.values())).context
            answers = await self._answering(kind, list(batch), context)
        except Exception as error:
            for question in batch.values():
                for answer in question.waiting:
                    if not answer.done():
                        answer.set_exception(error)
            return
        for question, result in zip(batch.values(), answers, strict=True):
            for answer in question.waiting:
                if not answer.done():
                    answer.set_result(result)


async def in_thread(
    context: Context, work: Callable[..., Any], *arguments: Any, threads: Executor | None = None
) -> Any:
    """The result of `work`, run in a worker thread, by default one of the loop's, under the given context variables."""
    call = partial(_call_in_thread, work, arguments)
    return await asyncio.get_running_loop().run_in_executor(threads, context.run, call)


def _call_in_thread(work: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    try:
        return work(*arguments)
    except (StopIteration, asyncio.CancelledError, SystemExit) as error:
        # These mean something else to a future: as they are, everyone would wait for ever, or the loop end.
        raise RuntimeError(f"{getattr(work, '__qualname__', work)} raised {error!r}") from error


_batchers: dict[tuple[asyncio.AbstractEventLoop, int], _Batcher] = {}


class BatchCache(Generic[Key, Value]):
    """At most `size` values by their key, safe for threads; those asked for longest ago are forgotten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, keys: Sequence[Key], make: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The values in the order of the keys; `make` is asked at most once, for each key that is not known."""
        with self._lock:
            known = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            known.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in known:
                self._values[key] = known[key]
                self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return [known[key] for key in keys]

    def __reduce__(self) -> Any:
        return BatchCache, (self._size,)  # another process begins with an empty one
