"""The steps of a program as soon as they are finished, for a listener or for a loop over them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

import dspy

from .steps import TrajectoryStep

Item = TypeVar("Item")
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


def tell_listener(step: TrajectoryStep, path: tuple[int, ...]) -> None:
    """Tell whoever listens of a finished step, the outermost first."""
    for listener in _listeners.get():
        listener(cast(TrajectoryStep, {**step, "path": list(path)}))


def stream_steps(program: dspy.Module, question: str) -> AsyncGenerator[TrajectoryStep | dspy.Prediction, None]:
    """Every step as it is finished, with the "path" to it, and the prediction as the last item.

    What goes wrong is raised after the last step. Who leaves early, by `break` or by being cancelled, cancels the
    question's calls; `contextlib.aclosing` around the iterator waits until they are.

    Examples:
        >>> import asyncio, dspy
        >>> from multihop import BM25, OneStep, Passage, scripted
        >>> program = OneStep(BM25.build([Passage("1", "Torun", "Torun is a city.")]))
        >>> async def main():
        ...     with dspy.context(lm=scripted([{"answer": "a city"}])):
        ...         async for item in program.stream("What is Torun?"):
        ...             print(item.answer if isinstance(item, dspy.Prediction) else item["step"])
        >>> asyncio.run(main())
        find
        answer
        a city
    """
    return steps_beside(_prediction(program, question))


async def steps_beside(work: AsyncIterable[Item]) -> AsyncGenerator[TrajectoryStep | Item, None]:
    """Yield the items of the work, and between them every step of the programs that it calls on this event loop."""
    items: asyncio.Queue[TrajectoryStep | Item | None] = asyncio.Queue()

    async def run() -> None:
        try:
            with listening(items.put_nowait):
                async for item in work:
                    items.put_nowait(item)
        finally:
            items.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while (item := await items.get()) is not None:
            yield item
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _prediction(program: dspy.Module, question: str) -> AsyncGenerator[dspy.Prediction, None]:
    yield await program.acall(question=question)
