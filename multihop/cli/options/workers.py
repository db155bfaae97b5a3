"""The options that say who shares the work of a command: a Ray cluster, processes of this machine, or nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cyclopts import Parameter

from ...base import InputError
from .amounts import AtMost

if TYPE_CHECKING:
    from ...evaluation.workers.worker import Workers


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """The processes that share the work."""

    ray: str | None = None
    """The address of a Ray cluster whose nodes share the work (the extra [ray]): HOST:PORT of its head node, or "auto"
    for the one that runs on this machine."""
    workers: AtMost = None
    """With --ray: how many workers answer, each --concurrency questions at once; one for each CPU by default."""
    processes: AtMost = None
    """Answer in so many processes of this machine, each --concurrency questions at once."""

    @contextmanager
    def hire(self) -> "Iterator[Workers | None]":
        """Workers for the runs of a command, on a cluster that also searches the indexes in shards; None to do without.

        Raises:
            InputError: The options do not go together, or the cluster cannot be joined.
        """
        if self.ray is not None and self.processes is not None:
            raise InputError("--ray and --processes both say who answers; give one of them.")
        if self.ray is None and self.workers is not None:
            raise InputError("--workers is for a Ray cluster; give --ray ADDRESS, or --processes for this machine.")
        if self.processes is not None:
            from ...evaluation.workers.in_processes import ProcessWorkers

            with ProcessWorkers(self.processes) as hired:
                yield hired
        elif self.ray is not None:
            from ...evaluation.workers.on_ray import RayWorkers
            from ...retrieval.sharded.index import open_shards_with
            from ...retrieval.sharded.on_ray import shards_on
            from ...retrieval.sharded.ray_cluster import join_cluster

            with join_cluster(self.ray) as cluster, open_shards_with(shards_on(cluster)):
                yield RayWorkers(cluster, self.workers)
        else:
            yield None
