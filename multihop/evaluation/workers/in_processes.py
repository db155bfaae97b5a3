"""Workers on this machine: processes that begin from nothing, each with a pipe to this one."""

import asyncio
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

from ...base import InputError
from .serving import Serving
from .worker import Message, Worker, WorkerDied

Result = TypeVar("Result")


class ProcessWorkers:
    """So many processes on this machine that answer the questions of one run after the other.

    They end with the block. A script that starts them is imported by each of them, so that it must begin its work
    under `if __name__ == "__main__":`.

    Examples:
        >>> from multihop.evaluation.workers.in_processes import ProcessWorkers
        >>> with ProcessWorkers(2) as workers:  # evaluate(program, questions, workers=workers)
        ...     workers.title
        '2 processes'
    """

    def __init__(self, count: int) -> None:
        """Nothing is started before a run begins.

        Raises:
            InputError: It is no number of processes.
        """
        if count < 1:
            raise InputError(f"the number of processes is a whole number from 1 on, not {count}.")
        self.count = count
        self._spare: list[ProcessWorker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._spare:
            self._spare.pop().stop()

    @property
    def title(self) -> str:
        """The workers' name, for a sentence."""
        return "1 process" if self.count == 1 else f"{self.count} processes"

    async def start(self) -> "ProcessWorker":
        """A process that waits for a job."""
        while self._spare:
            worker = self._spare.pop()
            if worker.is_alive:
                return worker
            worker.stop()
        return ProcessWorker()

    def spare(self, worker: Worker) -> None:
        """Keep one for the next run."""
        assert isinstance(worker, ProcessWorker), "it was started here"
        self._spare.append(worker)


class ProcessWorker:
    """One process, and the pipe to it."""

    def __init__(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work_at_pipe, args=(theirs,), daemon=True, name="multihop-worker")
        self._process.start()
        theirs.close()
        # Threads of its own, one for each way: those of the event loop are few, and others need them.
        self._sending, self._receiving = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    @property
    def is_alive(self) -> bool:
        """True if the process is there."""
        return self._process.is_alive()

    async def open(self, job: bytes) -> None:
        """Have it begin a job."""
        await self._in_thread(self._sending, self._pipe.send_bytes, pickle.dumps(job))

    async def tell(self, messages: list[Message]) -> None:
        """Send it messages."""
        await self._in_thread(self._sending, self._pipe.send_bytes, pickle.dumps(messages))

    async def hear(self) -> list[Message]:
        """The next messages."""
        messages: list[Message] = pickle.loads(await self._in_thread(self._receiving, self._pipe.recv_bytes))
        return messages

    def stop(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._sending.shutdown(wait=False)
        self._receiving.shutdown(wait=False)

    async def _in_thread(self, threads: ThreadPoolExecutor, do: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, do, *arguments)
        except (EOFError, OSError) as error:
            self._process.join(1)
            code = self._process.exitcode
            raise WorkerDied(f"a process of this machine ended with exit code {code}.") from error


def work_at_pipe(pipe: Connection) -> None:
    """The work of such a process: serve until the other end of the pipe is gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; who gave the command tells what to do
    try:
        asyncio.run(_serve_pipe(pipe))
    except (EOFError, OSError):
        os._exit(0)  # nobody is there to hear anything


async def _serve_pipe(pipe: Connection) -> None:
    """Take jobs and messages, and say what there is to say of them, until the other end is gone."""
    serving, loop = Serving(), asyncio.get_running_loop()
    # Threads of its own, one for each way: what a program does in threads must not keep them.
    sending, receiving = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    speaking: asyncio.Task[None] | None = None

    async def speak() -> None:
        while True:
            await loop.run_in_executor(sending, pipe.send_bytes, pickle.dumps(await serving.hear()))

    while True:
        received = pickle.loads(await loop.run_in_executor(receiving, pipe.recv_bytes))
        if isinstance(received, list):
            serving.tell(received)
            continue
        if speaking is not None:
            speaking.cancel()
        await serving.open(received)
        speaking = asyncio.create_task(speak())
