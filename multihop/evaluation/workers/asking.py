"""The seam between a run and whoever asks its questions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import NamedTuple, TypeVar

from ...data import Question
from ..journal.row import Row, answer_question
from ..modules import as_program
from .job import Job

Item = TypeVar("Item")


class Asker(NamedTuple):
    """Whoever answers questions for a run."""

    places: int
    """Questions that it takes at once."""
    ask: Callable[[Question], Awaitable[Row]]
    """Gives a question's row; a question that fails has one too. Raises `RunFailed` where it can answer no more."""


@asynccontextmanager
async def ask_here(job: Job) -> AsyncIterator[Asker]:
    """An asker that answers in this process, on the running event loop; metrics are observed meanwhile."""
    program = as_program(job.program, job.concurrency)

    async def ask(question: Question) -> Row:
        return await answer_question(program, question, job.metrics, timeout=job.timeout)

    with ExitStack() as stack:
        for metric in job.metrics:
            stack.enter_context(metric.observe())
        yield Asker(job.concurrency, ask)


async def take_waiting(queue: "asyncio.Queue[Item]") -> list[Item]:
    """The next item, once there is one, with all that wait behind it."""
    items = [await queue.get()]
    while not queue.empty():
        items.append(queue.get_nowait())
    return items
