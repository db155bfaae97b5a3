"""Watches programs at work: for the library's logger, DSPy's callbacks, and any other watcher, such as a tracer.

Four kinds of work are watched: a question, a step, a call of an LM, a retrieval. Where nobody watches, nothing is done
for it but to look whether somebody does.
"""

import functools
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import dspy

from .prompting import to_record

LOGGER = logging.getLogger("multihop")
LOGGER.addHandler(logging.NullHandler())

WorkKind = Literal["question", "step", "call", "retrieval"]


@dataclass(slots=True)
class Work:
    """Something that a program does, from its beginning to its end."""

    kind: WorkKind
    """The kind of work."""
    name: str
    """The program's name, the step's, the LM's, or the retriever's class."""
    facts: dict[str, Any]
    """The facts that are known and say nothing of what was asked: counts, tokens, settings. They grow until the end."""
    texts: dict[str, Any] = field(default_factory=dict)
    """The texts that were asked, shown and answered."""
    error: BaseException | None = None
    """The error by which it failed."""
    seconds: float = 0.0
    """The seconds that it took."""


Watcher = Callable[[Work], AbstractContextManager[None]]
"""Surrounds a work; at the end of its block, the work is known whole."""

Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])

_watchers: list[Watcher] = []
_out_of_sight: ContextVar[bool] = ContextVar("multihop_out_of_sight", default=False)


def add_watcher(watcher: Watcher) -> None:
    """Have all work watched from now on, in all threads.

    Examples:
        >>> import dspy
        >>> from contextlib import contextmanager
        >>> from multihop import Direct, scripted
        >>> from multihop.runtime.watching import add_watcher, remove_watcher
        >>> @contextmanager
        ... def tell(work):
        ...     yield
        ...     print(work.kind, work.name, work.facts.get("tokens_in", 0) > 0)
        >>> add_watcher(tell)
        >>> with dspy.context(lm=scripted([{"answer": "Po"}])):
        ...     _ = Direct()(question="Which river?")
        call multihop/scripted True
        step answer False
        question direct False
        >>> remove_watcher(tell)
    """
    _watchers.append(watcher)


def remove_watcher(watcher: Watcher) -> None:
    """Have it watch no longer."""
    if watcher in _watchers:
        _watchers.remove(watcher)


@contextmanager
def out_of_sight() -> Iterator[None]:
    """A block whose steps and retrievals are watched only when they are asked for: they are done ahead of that."""
    outer = _out_of_sight.set(True)
    try:
        yield
    finally:
        _out_of_sight.reset(outer)


def is_anybody_watching() -> bool:
    """True if a watcher is there, or the logger is on."""
    return bool(_watchers) or LOGGER.isEnabledFor(logging.INFO)


@contextmanager
def watching(kind: WorkKind, name: str, facts: dict[str, Any], **texts: Any) -> Iterator[Work]:
    """The block's work is watched by all who want to; what it finds out, it writes into the work."""
    work = Work(kind, name, facts, texts)
    with ExitStack() as stack:
        if LOGGER.isEnabledFor(logging.INFO):
            from .work_log import log_work

            stack.enter_context(log_work(work))
        for watcher in _watchers:
            stack.enter_context(watcher(work))
        started = time.perf_counter()
        try:
            yield work
        except BaseException as error:
            work.error = error
            raise
        finally:
            work.seconds = time.perf_counter() - started


def watched_step(ask: Method) -> Method:
    """`Program.ask` as it is watched."""

    @functools.wraps(ask)
    async def watched_ask(program: Any, predictor: Any, /, **inputs: Any) -> Any:
        if _out_of_sight.get():
            return await ask(program, predictor, **inputs)
        if not dspy.settings.callbacks:
            return await told(program, predictor, **inputs)
        from .announcing import announce_step

        shown = {name: value for name, value in inputs.items() if name not in ("check", "draw")}
        return await announce_step(program.role_of(predictor), shown, lambda: told(program, predictor, **inputs))

    async def told(program: Any, predictor: Any, /, **inputs: Any) -> Any:
        if not is_anybody_watching():
            return await ask(program, predictor, **inputs)
        shown = {name: to_record(value) for name, value in inputs.items() if name not in ("check", "draw")}
        with watching("step", program.role_of(predictor), {"program": program.name}, inputs=shown) as work:
            prediction = await ask(program, predictor, **inputs)
            work.texts["outputs"] = prediction.toDict()
            return prediction

    return watched_ask  # type: ignore[return-value]


def watched_retrieval(find: Method) -> Method:
    """`Program.find` as it is watched."""

    @functools.wraps(find)
    async def watched_find(program: Any, query: str, k: int, *where: Any, **options: Any) -> Any:
        if _out_of_sight.get():
            return await find(program, query, k, *where, **options)
        if not dspy.settings.callbacks:
            return await told(program, query, k, *where, **options)
        from .announcing import announce_retrieval

        return await announce_retrieval(query, k, lambda: told(program, query, k, *where, **options))

    async def told(program: Any, query: str, k: int, *where: Any, **options: Any) -> Any:
        if not is_anybody_watching():
            return await find(program, query, k, *where, **options)
        with watching("retrieval", type(program.retriever).__name__, {"k": k}, query=query) as work:
            hits = await find(program, query, k, *where, **options)
            work.facts["hits"] = len(hits)
            work.texts["passages"] = [hit.passage._asdict() for hit in hits]
            return hits

    return watched_find  # type: ignore[return-value]


async def watched_question(name: str, question: str, work: Awaitable[Any]) -> Any:
    """A program's prediction, its making watched."""
    if not is_anybody_watching():
        return await work
    with watching("question", name, {}, question=question) as watched:
        prediction = await work
        cost = prediction.cost
        names = ("calls", "cached", "retrievals", "usd", "paid_usd")
        watched.facts |= {name: cost.get(name) for name in names} | {"over_budget": prediction.over_budget}
        watched.texts["answer"] = prediction.get("answer")
        return prediction
