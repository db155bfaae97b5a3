"""Builders and shards as actors of a Ray cluster, one a shard."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..passage import Passage
from ..words.term_counts import CorpusCounts
from .building import OpensBuilders
from .index import OpensShards
from .layout import ShardedManifest, ShardEntry
from .ray_cluster import SECONDS, RayCluster, check_versions, versions
from .shard import Found, Shard, ShardBuilder, ShardCounts, ShardRecipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AHEAD = 2
"""Blocks that a builder may have before it: one that it works on and one that waits."""
_LIVES = 3
"""The number of times that a shard's actor is started again, on another node if its own is gone."""


class _Builder:
    """A builder of a shard, as an actor."""

    def versions(self) -> dict[str, str]:
        return versions()

    def begin(self, home: Path, number: int, recipe: ShardRecipe) -> None:
        self._built = ShardBuilder(home, number, recipe)

    def add(self, block: list[Passage]) -> int:
        return self._built.add(block)

    def count(self) -> ShardCounts:
        return self._built.count()

    def finish(self, whole: CorpusCounts, corpus: str) -> ShardEntry:
        return self._built.finish(whole, corpus)


class BuildersOnRay:
    """Builders on the nodes of a cluster, which build at once."""

    def __init__(self, cluster: RayCluster, actors: list[Any]) -> None:
        """Build with these actors."""
        self._cluster, self._actors = cluster, actors
        self._under_way: list[list[Any]] = [[] for _ in actors]

    def add(self, shard: int, block: list[Passage]) -> int:
        """Hand a block to a builder; wait until it has room for it."""
        waiting, done = self._under_way[shard], 0
        while len(waiting) >= _AHEAD:
            done += self._cluster.collect([waiting.pop(0)])[0]
        waiting.append(self._actors[shard].add.remote(block))
        return done

    def count(self) -> list[ShardCounts]:
        """The counts of each builder."""
        self._cluster.collect([each for waiting in self._under_way for each in waiting])
        return self._cluster.collect([actor.count.remote() for actor in self._actors])

    def finish(self, wholes: Iterable[CorpusCounts], corpora: Sequence[str]) -> list[ShardEntry]:
        """Have each write its shard."""
        told = zip(self._actors, wholes, corpora, strict=True)
        return self._cluster.collect([actor.finish.remote(whole, corpus) for actor, whole, corpus in told])


def builders_on(cluster: RayCluster) -> OpensBuilders:
    """An opener of builders on a cluster, for `Sharded.build`.

    Raises (when it opens them):
        InputError: A node does not see the folder.
        RunFailed: There are fewer free CPUs than shards, or a builder died.
    """

    @contextmanager
    def opened(folder: Path, shards: int, recipe: ShardRecipe) -> Iterator[BuildersOnRay]:
        actors = [cluster.start(_Builder, cpus=1) for _ in range(shards)]
        try:
            for theirs in cluster.collect([actor.versions.remote() for actor in actors], seconds=SECONDS):
                check_versions(theirs, f"a node of the Ray cluster at {cluster.address}")
            home = folder.resolve()
            cluster.collect([actor.begin.remote(home, number, recipe) for number, actor in enumerate(actors)])
            yield BuildersOnRay(cluster, actors)
        finally:
            for actor in actors:
                cluster.ray.kill(actor)

    return opened


class _Searcher:
    """A shard that is searched, as an actor; started again, it opens its shard again."""

    def __init__(self, home: Path, number: int, manifest: ShardedManifest) -> None:
        self._told = home, number, manifest
        self._opened: Shard | None = None

    def versions(self) -> dict[str, str]:
        return versions()

    def open(self) -> None:
        self._shard()

    def find_words(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        return self._shard().find_words(queries, k)

    def find_meanings(self, vectors: "NDArray[np.float32]", k: int) -> list[list[Found]]:
        return self._shard().find_meanings(vectors, k)

    def _shard(self) -> Shard:  # not in __init__, whose errors Ray hides behind its own
        self._opened = self._opened or Shard(*self._told)
        return self._opened


class ShardsOnRay:
    """Shards on the nodes of a cluster, searched at once; pickled, they are the same actors."""

    def __init__(self, address: str, actors: list[Any]) -> None:
        """Search with these actors."""
        self._address, self._actors = address, actors

    def find_words(self, queries: Sequence[str], k: int) -> list[list[list[Found]]]:
        """Each shard's hits by words."""
        asked = list(queries)
        return self._cluster.collect([actor.find_words.remote(asked, k) for actor in self._actors])

    def find_meanings(self, vectors: "NDArray[np.float32]", k: int) -> list[list[list[Found]]]:
        """Each shard's hits by vectors."""
        return self._cluster.collect([actor.find_meanings.remote(vectors, k) for actor in self._actors])

    @property
    def _cluster(self) -> RayCluster:
        import ray  # in whichever process this is

        return RayCluster(self._address, ray)


def shards_on(cluster: RayCluster) -> OpensShards:
    """An opener of shards on a cluster, for `open_shards_with`: an actor each, which takes no CPU from those who ask.

    Raises (when it opens them):
        InputError: A node does not see the folder.
        DamagedFileError: A shard is missing, or is not as it was written.
    """

    def opened(home: Path, manifest: ShardedManifest) -> ShardsOnRay:
        actors = [
            cluster.start(_Searcher, home, number, manifest, cpus=0, max_restarts=_LIVES, max_task_retries=_LIVES)
            for number in range(len(manifest.shards))
        ]
        for theirs in cluster.collect([actor.versions.remote() for actor in actors], seconds=SECONDS):
            check_versions(theirs, f"a node of the Ray cluster at {cluster.address}")
        cluster.collect([actor.open.remote() for actor in actors])
        return ShardsOnRay(cluster.address, actors)

    return opened
