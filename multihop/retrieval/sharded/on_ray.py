"""Builders and shards as actors of a Ray cluster, one a shard."""

import copyreg
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..passage import Passage
from ..words.statistics import Frequency
from ..words.term_counts import CorpusCounts
from .building import Builders, OpensBuilders
from .index import OpensShards, Shards
from .layout import ShardedManifest, ShardEntry
from .ray_cluster import SECONDS, RayCluster, check_versions, versions
from .shard import Found, Shard, ShardBuilder, ShardCounts, ShardRecipe

_AHEAD = 2
"""Blocks that a builder may have before it: one that it works on and one that waits."""
_RESTARTS = 3
"""The number of times that a shard's actor is started again, on another node if its own is gone."""


class _Actor:
    """A shard or its builder on a node; an actor that is started again opens it again."""

    def __init__(self, kind: type, *arguments: Any) -> None:
        self._opens, self._opened = partial(kind, *arguments), None

    def versions(self) -> dict[str, str]:
        return versions()

    def open(self) -> None:  # not in __init__, whose errors Ray hides behind its own
        if self._opened is None:
            self._opened = self._opens()

    def ask(self, method: str, *arguments: Any) -> Any:
        self.open()
        return getattr(self._opened, method)(*arguments)


def _start(cluster: RayCluster, kind: type, shards: Iterable[tuple[Any, ...]], **options: Any) -> list[Any]:
    """An actor for each shard, opened once its node is known to have our versions."""
    actors = [cluster.start(_Actor, kind, *arguments, **options) for arguments in shards]
    try:
        for found in cluster.collect([actor.versions.remote() for actor in actors], seconds=SECONDS):
            check_versions(found, f"a node of the Ray cluster at {cluster.address}")
        cluster.collect([actor.open.remote() for actor in actors])
    except BaseException:
        _stop(cluster, actors)
        raise
    return actors


def _stop(cluster: RayCluster, actors: Sequence[Any]) -> None:
    for actor in actors:
        cluster.ray.kill(actor)


class BuildersOnRay(Builders):
    """Builders on the nodes of a cluster, which build at once."""

    def __init__(self, cluster: RayCluster, folder: Path, shards: int, recipe: ShardRecipe) -> None:
        """Start an actor for each shard.

        Raises:
            InputError: A node does not see the folder.
            RunFailed: There are fewer free CPUs than shards, or a builder died.
        """
        home = folder.resolve()
        self._cluster = cluster
        self._actors = _start(cluster, ShardBuilder, [(home, number, recipe) for number in range(shards)], cpus=1)
        self._under_way: list[list[Any]] = [[] for _ in self._actors]

    def add(self, shard: int, block: list[Passage]) -> int:
        """Hand a block to a builder; wait until it has room for it."""
        waiting, done = self._under_way[shard], 0
        while len(waiting) >= _AHEAD:
            done += self._cluster.collect([waiting.pop(0)])[0]
        waiting.append(self._actors[shard].ask.remote("add", block))
        return done

    def count(self) -> list[ShardCounts]:
        """The counts of each builder."""
        self._cluster.collect([each for waiting in self._under_way for each in waiting])
        return self._cluster.collect([actor.ask.remote("count") for actor in self._actors])

    def finish(self, corpus_counts: Iterable[CorpusCounts], corpora: Sequence[str]) -> list[ShardEntry]:
        """Have each write its shard."""
        each = zip(self._actors, corpus_counts, corpora, strict=True)
        return self._cluster.collect([actor.ask.remote("finish", whole, corpus) for actor, whole, corpus in each])

    def close(self) -> None:
        """End the actors."""
        _stop(self._cluster, self._actors)


class ShardsOnRay(Shards):
    """Shards on the nodes of a cluster, searched at once; pickled, they are the same actors."""

    def __init__(self, cluster: RayCluster, home: Path, manifest: ShardedManifest) -> None:
        """Start an actor for each shard, which takes no CPU from those who ask.

        Raises:
            InputError: A node does not see the folder.
            DamagedFileError: A shard is missing, or is not as it was written.
        """
        self.opened = None
        shards = [(home, number, manifest) for number in range(len(manifest.shards))]
        restarts = {"max_restarts": _RESTARTS, "max_task_retries": _RESTARTS}
        self._cluster, self._actors = cluster, _start(cluster, Shard, shards, cpus=0, **restarts)

    def rank(
        self, part: str, queries: Any, k: int, frequencies: Mapping[str, Frequency] | None = None
    ) -> list[list[list[Found]]]:
        """Each shard's ranking for each query."""
        return self._cluster.collect(
            [actor.ask.remote("rank", part, queries, k, frequencies) for actor in self._actors]
        )

    def count(self, words: Sequence[str]) -> list[list[Frequency]]:
        """Each shard's counts of the words."""
        return self._cluster.collect([actor.ask.remote("count", words) for actor in self._actors])

    def __reduce__(self) -> Any:
        return copyreg.__newobj__, (type(self),), vars(self)  # type: ignore[attr-defined]


def builders_on(cluster: RayCluster) -> OpensBuilders:
    """An opener of builders on a cluster, for `Sharded.build`."""
    return partial(BuildersOnRay, cluster)


def shards_on(cluster: RayCluster) -> OpensShards:
    """An opener of shards on a cluster, for `open_shards_with`."""
    return partial(ShardsOnRay, cluster)
