"""Workers on a Ray cluster: an actor each, spread over its nodes."""

import asyncio
from typing import Any

from ...base import InputError
from ...retrieval.sharded.ray_cluster import SECONDS, RayCluster, check_versions, versions
from .serving import Serving
from .worker import Message, Worker, WorkerDied


class _RayWorker:
    """A worker, as an actor with an event loop of its own."""

    async def versions(self) -> dict[str, str]:
        return versions()

    async def open(self, job: bytes) -> None:
        if not hasattr(self, "_serving"):
            self._serving = Serving()
        await self._serving.open(job)

    async def tell(self, messages: list[Message]) -> None:
        self._serving.tell(messages)

    async def hear(self) -> list[Message]:
        return await self._serving.hear()


class RayWorkers:
    """Workers that take a CPU of a cluster each, and answer the questions of one run after the other.

    `evaluate(program, questions, workers=RayWorkers(cluster))`, with a cluster that `join_cluster` has joined. What a
    program reads from files must be there on every node, under the same name.
    """

    def __init__(self, cluster: RayCluster, count: int | None = None) -> None:
        """Nothing is started before a run begins.

        Args:
            cluster: The cluster on which they work.
            count: Their number; one for each CPU of the cluster by default.
        """
        self.count = cluster.cpus if count is None else count
        self._cluster = cluster
        self._spare: list[RayWorker] = []
        self._job: tuple[bytes, Any] = b"", None

    @property
    def title(self) -> str:
        """The workers' name, for a sentence."""
        return (
            f"{self.count} {'worker' if self.count == 1 else 'workers'} on the Ray cluster at {self._cluster.address}"
        )

    async def start(self) -> "RayWorker":
        """An actor that waits for a job."""
        worker = self._spare.pop() if self._spare else RayWorker(self._cluster, self)
        try:
            await worker.begin()
        except asyncio.CancelledError:
            self._spare.append(worker)  # it may be there for the next run
            raise
        except BaseException:
            worker.stop()
            raise
        return worker

    def spare(self, worker: Worker) -> None:
        """Keep one for the next run."""
        assert isinstance(worker, RayWorker), "it was started here"
        self._spare.append(worker)

    def share(self, job: bytes) -> Any:
        """The job in the cluster's memory, where every node finds it."""
        if self._job[0] is not job:
            self._job = job, self._cluster.ray.put(job)
        return self._job[1]


class RayWorker:
    """One actor, and the way to it."""

    def __init__(self, cluster: RayCluster, workers: RayWorkers) -> None:
        """Have it started where there is room."""
        self._cluster, self._workers = cluster, workers
        self._actor = cluster.start(_RayWorker, cpus=1)

    async def begin(self) -> None:
        """Wait until it is there, and see whether it is what this process is.

        Raises:
            WorkerDied: It could not be started.
            RunFailed: No node has room for it.
            MismatchError: It runs something else than this process.
        """
        theirs = await self._answer(self._actor.versions.remote(), SECONDS)
        check_versions(theirs, f"a node of the Ray cluster at {self._cluster.address}")

    async def open(self, job: bytes) -> None:
        """Have it begin a job."""
        await self._answer(self._actor.open.remote(self._workers.share(job)))

    async def tell(self, messages: list[Message]) -> None:
        """Send it messages."""
        await self._answer(self._actor.tell.remote(messages))

    async def hear(self) -> list[Message]:
        """The next messages."""
        messages: list[Message] = await self._answer(self._actor.hear.remote())
        return messages

    def stop(self) -> None:
        """End it at once."""
        self._cluster.ray.kill(self._actor)

    async def _answer(self, reference: Any, seconds: float | None = None) -> Any:
        errors = self._cluster.ray.exceptions
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(reference.future())
        except TimeoutError as error:
            raise self._cluster.reason(errors.GetTimeoutError()) from error
        except errors.RayError as error:
            reason = self._cluster.reason(error)
            if isinstance(reason, InputError):
                raise reason from error
            raise WorkerDied(str(reason)) from error
