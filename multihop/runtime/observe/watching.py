"""Watches programs at work: for the library's logger, DSPy's callbacks, and any other watcher, such as a tracer.

Four kinds of work are watched: a question, a step, a call of an LM, a retrieval. Where nobody watches, nothing is done
for it but to look whether somebody does.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from .work import LOGGER, Work, WorkKind, log_work

Watcher = Callable[[Work], AbstractContextManager[None]]
"""Surrounds a work; at the end of its block, the work is known whole."""

_watchers: list[Watcher] = []
_out_of_sight: ContextVar[bool] = ContextVar("multihop_out_of_sight", default=False)


def add_watcher(watcher: Watcher) -> None:
    """Have all work watched from now on, in all threads.

    Examples:
        >>> import dspy
        >>> from contextlib import contextmanager
        >>> from multihop import Direct, scripted
        >>> from multihop.runtime.observe.watching import add_watcher, remove_watcher
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


def is_out_of_sight() -> bool:
    """True inside such a block as `out_of_sight` makes."""
    return _out_of_sight.get()


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
