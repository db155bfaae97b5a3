"""Who shares the work of a command: a Ray cluster, processes of this machine, or nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..base import InputError

if TYPE_CHECKING:
    from ..evaluation.workers.worker import Workers


@contextmanager
def hire_workers(
    ray: str | None, workers: int | None = None, processes: int | None = None
) -> "Iterator[Workers | None]":
    """Workers for the runs of a command, on a cluster that also searches the indexes in shards; None to do without.

    Raises:
        InputError: The options do not go together, or the cluster cannot be joined.
    """
    if ray is not None and processes is not None:
        raise InputError("--ray and --processes both say who answers; give one of them.")
    if ray is None and workers is not None:
        raise InputError("--workers is for a Ray cluster; give --ray ADDRESS, or --processes for this machine.")
    if processes is not None:
        from ..evaluation.workers.in_processes import ProcessWorkers

        with ProcessWorkers(processes) as hired:
            yield hired
    elif ray is not None:
        from ..base.ray_cluster import join_cluster
        from ..evaluation.workers.on_ray import RayWorkers
        from ..retrieval.sharded.index import open_shards_with
        from ..retrieval.sharded.on_ray import shards_on

        with join_cluster(ray) as cluster, open_shards_with(shards_on(cluster)):
            yield RayWorkers(cluster, workers)
    else:
        yield None
