"""The way to a worker: what anything that runs processes has to offer."""

from typing import Any, Protocol

from ...base import RunFailed

Message = tuple[Any, ...]
"""The kind of the message, and the rest.

To a worker: `ask` a question, `cancel` it, `kept` is the answer to its `turn`, `end`. From a worker: it is `ready`, or
has `refused` with an error; a question's `row`, or that it `failed` with an error; the `turn` of a call, what to `keep`
of it and that it is `done`; a line for the `bill`, the `usage` for who counts calls; that it has `ended`."""


class WorkerDied(RunFailed):
    """A worker is gone, with the questions that it had; in a row, too many went with that question."""


class Worker(Protocol):
    """One process elsewhere. Each call raises `WorkerDied` if the process is gone."""

    async def open(self, job: bytes) -> None:
        """Have it begin a job, in the place of the one before."""
        ...

    async def tell(self, messages: list[Message]) -> None:
        """Send it messages; on return they have arrived, or are on their way in this order."""
        ...

    async def hear(self) -> list[Message]:
        """The next messages, all that there are and one at least, in their order."""
        ...

    def stop(self) -> None:
        """End it at once."""
        ...


class Workers(Protocol):
    """Processes elsewhere, and who starts them."""

    @property
    def count(self) -> int:
        """The number of workers that work at once."""
        ...

    @property
    def title(self) -> str:
        """The workers' name, for a sentence: "4 processes"."""
        ...

    async def start(self) -> Worker:
        """One more of them, ready to be given a job: a spare one, or a new one.

        Raises:
            WorkerDied: It could not be started.
            RunFailed: There is no room for it.
            MismatchError: It runs something else than this process.
        """
        ...

    def spare(self, worker: Worker) -> None:
        """Take back one that has ended its job, for the next."""
        ...
