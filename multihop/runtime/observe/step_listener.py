"""The steps of a program as they are taken, for whoever listens: a page that shows a search while it goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from .steps import TrajectoryStep

Listener = Callable[[TrajectoryStep], None]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("multihop_listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Programs that are called in the block tell the listener every step as soon as it is finished.

    A step is told as the trajectory records it, with the "path" to it besides: the numbers of the branches it was taken
    in, the outermost first, as `multihop ask` shows them. The listener is called on the event loop that the program
    runs on, so it must not take long.

    Examples:
        >>> import dspy
        >>> from multihop import BM25, OneStep, Passage, scripted
        >>> from multihop.runtime import listening
        >>> program, steps = OneStep(BM25.build([Passage("1", "Torun", "Torun is a city.")])), []
        >>> with dspy.context(lm=scripted([{"answer": "a city"}])), listening(steps.append):
        ...     _ = program(question="What is Torun?")
        >>> [(step["step"], step["path"]) for step in steps]
        [('find', []), ('answer', [])]
    """
    outer = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(outer)


@contextmanager
def unheard() -> Iterator[None]:
    """Tell nobody of the steps taken in the block."""
    outer = _listeners.set(())
    try:
        yield
    finally:
        _listeners.reset(outer)


def tell_listener(step: TrajectoryStep, path: tuple[int, ...]) -> None:
    """Tell whoever listens of a finished step, the outermost first."""
    for listener in _listeners.get():
        listener(cast(TrajectoryStep, {**step, "path": list(path)}))
