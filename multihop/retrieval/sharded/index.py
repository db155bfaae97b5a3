"""An index in shards as a retriever: a query goes to all of them, and their rankings are merged."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from ...base import MismatchError
from ...encoder import Encoder, TextEncoder
from ..bm25 import BM25, check_analyzer
from ..corpus_index import CorpusIndex, VectorIndex
from ..dense import Dense, open_encoder_of
from ..hybrid import Hybrid
from ..passage import Hit
from ..retriever import Index, check_search
from .building import build_shards
from .layout import MEANINGS, WORDS, ShardedManifest, ShardedPassages
from .shard import Found, Shard


class Shards:
    """All shards of an index; these are searched by this process, one after the other."""

    def __init__(self, home: Path, manifest: ShardedManifest) -> None:
        """Open all of them.

        Raises:
            DamagedFileError: One is missing, or is not as it was written.
        """
        self._home, self._manifest = home, manifest
        self._shards = [Shard(home, number, manifest) for number in range(len(manifest.shards))]

    def rank(self, part: str, queries: Any, k: int) -> list[list[list[Found]]]:
        """Each shard's ranking for each query; see `Shard.rank`."""
        return [shard.rank(part, queries, k) for shard in self._shards]

    def __reduce__(self) -> Any:
        return _reopen, (self._home, self._manifest)


def _reopen(home: Path, manifest: ShardedManifest) -> Shards:
    if ShardedManifest.read(home) != manifest:
        raise MismatchError(f"{home} now holds another index than the one that was handed on; build it as it was.")
    return Shards(home, manifest)


OpensShards: TypeAlias = Callable[[Path, ShardedManifest], Shards]
"""Opens the shards of the index in a folder."""
current_shards: ContextVar[OpensShards] = ContextVar("multihop_shards", default=Shards)
"""The opener of an index's shards: this process, unless a block of `open_shards_with` sets another."""


@contextmanager
def open_shards_with(opens: OpensShards) -> Iterator[None]:
    """A block in which all indexes in shards are opened that way."""
    outer = current_shards.set(opens)
    try:
        yield
    finally:
        current_shards.reset(outer)


class ShardedBM25(CorpusIndex):
    """The part of an index in shards that ranks as `BM25` does, and has its fingerprint."""

    kind = BM25.kind

    def __init__(self, shards: Shards, passages: ShardedPassages, settings: dict[str, Any]) -> None:
        """Search these shards; use `Sharded.load` instead."""
        self._shards, self._passages, self._settings = shards, passages, settings

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return merge_found(self._shards.rank(WORDS, list(queries), k), len(queries), k)

    def __repr__(self) -> str:
        return f"ShardedBM25({len(self)} passages)"


class ShardedDense(VectorIndex):
    """The part of an index in shards that ranks as `Dense` does, and has its fingerprint."""

    kind = Dense.kind

    def __init__(
        self, shards: Shards, passages: ShardedPassages, settings: dict[str, Any], encoder: TextEncoder
    ) -> None:
        """Search these shards; use `Sharded.load` instead."""
        self._shards, self._passages, self._settings, self.encoder = shards, passages, settings, encoder

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not queries:
            return []
        found = self._shards.rank(MEANINGS, self.encoder.embed_queries(queries), k)
        rankings = merge_found(found, len(queries), k)
        return [ranking if query.strip() else [] for query, ranking in zip(queries, rankings, strict=True)]

    def __repr__(self) -> str:
        return f"ShardedDense({len(self)} passages, {self._settings['encoder']})"


class Sharded:
    """Builds and opens indexes in shards; an opened one finds what `BM25`, `Dense` or `Hybrid` would.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import BM25, Passage, open_index
        >>> from multihop.retrieval.sharded.index import Sharded
        >>> towns = [Passage(f"p{n}", f"Town {n}", f"Town {n} lies on river {n % 7}.") for n in range(50)]
        >>> folder = tempfile.mkdtemp()
        >>> sharded = Sharded.build(towns, folder=folder, shards=3, block=4)
        >>> found = BM25.build(towns).search(["a town on river 5"], k=10)
        >>> open_index(folder).search(["a town on river 5"], k=10) == found
        True
        >>> sharded.fingerprint == BM25.build(towns).fingerprint
        True
    """

    @classmethod
    def build(
        cls,
        passages: Iterable[Any],
        *,
        folder: str | os.PathLike[str],
        shards: int,
        **options: Any,
    ) -> Index:
        """An index of the passages in `shards` shards, opened from `folder`; see `build_shards`."""
        build_shards(passages, folder, shards=shards, **options)
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Index:
        """The index in `folder`.

        Raises:
            InputError: There is no index, or it is of another kind or version, or made by another encoder.
            DamagedFileError: It is damaged, or a shard is missing.
        """
        home = Path(folder).expanduser().resolve()
        manifest = ShardedManifest.read(home)
        if manifest.words is not None:
            check_analyzer(home, manifest.words)
        encoder = None
        if manifest.meanings is not None:
            encoder = open_encoder_of(home, manifest.meanings | manifest.encoder, "rebuild it with `multihop index`.")
        shards, passages = current_shards.get()(home, manifest), ShardedPassages(home, manifest)
        words = None if manifest.words is None else ShardedBM25(shards, passages, manifest.words)
        if manifest.meanings is None or encoder is None:
            assert words is not None, "an index ranks by words or by vectors"
            return words
        vectors = ShardedDense(shards, passages, manifest.meanings, encoder)
        if words is None:
            return vectors
        judging = encoder if isinstance(encoder, Encoder) else None
        return Hybrid(words, vectors, rerank=manifest.rerank, encoder=judging)


def merge_found(shards: Sequence[list[list[Found]]], queries: int, k: int) -> list[list[Hit]]:
    """The hits of all shards as one ranking for each query: by score, equal ones in the order of the corpus."""
    merged = (merge(*(rankings[number] for rankings in shards)) for number in range(queries))
    return [[Hit(found.passage, -found.minus_score) for found in islice(ranking, k)] for ranking in merged]
