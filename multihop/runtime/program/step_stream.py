"""A program's steps as something to iterate over: each as soon as it is finished, and the prediction last."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from typing import TypeVar

import dspy

from ..observe.step_listener import listening
from ..observe.steps import TrajectoryStep

Item = TypeVar("Item")


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
