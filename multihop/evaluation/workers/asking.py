"""The seam between a run and who asks its questions."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Protocol

from ...data import Question
from ..journal.row import Row, answer_question
from ..modules import as_program
from .job import Job


class Asker(Protocol):
    """Whoever answers questions for a run."""

    @property
    def places(self) -> int:
        """Questions that it takes at once."""
        ...

    async def ask(self, question: Question) -> Row:
        """The question's row; a question that fails has one too.

        Raises:
            RunFailed: It can answer no more.
        """
        ...


class AskerHere:
    """Answers in this process, on the running event loop."""

    def __init__(self, job: Job) -> None:
        """Answer as the job says."""
        self.places = job.concurrency
        self._job, self._program = job, as_program(job.program, job.concurrency)

    async def ask(self, question: Question) -> Row:
        """The question's row."""
        return await answer_question(self._program, question, self._job.metrics, timeout=self._job.timeout)


@asynccontextmanager
async def ask_here(job: Job) -> AsyncIterator[AskerHere]:
    """An asker that answers in this process; metrics are observed meanwhile."""
    with ExitStack() as stack:
        for metric in job.metrics:
            stack.enter_context(metric.observe())
        yield AskerHere(job)
