"""An index in shards as a retriever: a query goes to all of them, and their rankings are merged."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

from ...base import InputError, MismatchError
from ...base.batch_cache import BatchCache
from ...encoder import Encoder, TextEncoder
from ..bm25 import BM25, check_analyzer
from ..changing_index import ChangingIndex
from ..corpus_index import VectorIndex
from ..dense import Dense, open_encoder_of
from ..hybrid import Hybrid
from ..passage import Hit, Passage
from ..retriever import Index, check_search
from ..words.analyzer import words
from ..words.statistics import Frequency
from .building import build_shards
from .layout import FORMAT, MEANINGS, WORDS, ShardedManifest
from .passages import ShardedPassages
from .shard import Found, Shard
from .writing import Moment, ShardedWriter

_REMEMBERED = 1 << 16
"""Words whose counts are kept from query to query."""


class Shards:
    """All shards of an index; these are searched by this process, one after the other."""

    def __init__(self, home: Path, manifest: ShardedManifest, shards: list[Shard] | None = None) -> None:
        """Open all of them, unless they are given.

        Raises:
            DamagedFileError: One is missing, or is not as it was written.
        """
        self._home, self._manifest = home, manifest
        opened = shards or [Shard(home, number, manifest) for number in range(len(manifest.shards))]
        self.opened: list[Shard] | None = opened

    def rank(
        self, part: str, queries: Any, k: int, frequencies: Mapping[str, Frequency] | None = None
    ) -> list[list[list[Found]]]:
        """Each shard's ranking for each query; see `Shard.rank`."""
        return [shard.rank(part, queries, k, frequencies) for shard in self.opened or ()]

    def count(self, words: Sequence[str]) -> list[list[Frequency]]:
        """Each shard's counts of the words; see `Shard.count`."""
        return [shard.count(words) for shard in self.opened or ()]

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


class View(NamedTuple):
    """An index in shards at one moment."""

    manifest: ShardedManifest
    shards: Shards
    passages: ShardedPassages
    frequencies: BatchCache[str, Frequency]
    """The number of passages that hold each word."""

    @classmethod
    def open(cls, home: Path, opens: OpensShards) -> "View":
        """The index in a folder as it is now."""
        while True:
            manifest = ShardedManifest.read(home)
            try:
                return cls.of(home, manifest, opens(home, manifest))
            except InputError:
                if ShardedManifest.read(home) == manifest:  # else it was changed while it was read, and is read again
                    raise

    @classmethod
    def of(cls, home: Path, manifest: ShardedManifest, shards: Shards) -> "View":
        """The index in a folder, with its shards open."""
        each = shards.opened
        opened = None if each is None else [(shard.corpus, shard.positions) for shard in each]
        return cls(manifest, shards, ShardedPassages(home, manifest, opened), BatchCache(_REMEMBERED))

    def count_words(self, queries: Sequence[str]) -> dict[str, Frequency] | None:
        """The number of passages that hold each word of some queries; None where words need not be weighed anew."""
        if self.manifest.changes is None or self.manifest.changes["statistics"] is None:
            return None
        asked = list(dict.fromkeys(word for query in queries for word in words(query)))
        return dict(zip(asked, self.frequencies.get(asked, self._count), strict=True))

    def _count(self, asked: Sequence[str]) -> list[Frequency]:
        each = zip(*self.shards.count(asked), strict=True)
        return [Frequency(*map(sum, zip(*of_shards, strict=True))) for of_shards in each]

    def settings(self, part: str) -> dict[str, Any]:
        """Everything that decides which passages one of its indexes finds."""
        built: dict[str, Any] = getattr(self.manifest, part)
        return built if self.manifest.changes is None else {**built, "corpus": self.passages.fingerprint}


class InShards(ChangingIndex):
    """An index in shards, whose corpus changes."""

    format = FORMAT
    _view: View
    _home: Path
    _opens: OpensShards

    def _start(self, home: Path, view: View, opens: OpensShards) -> None:
        """Begin in the folder, which is seen so."""
        self._begin()
        self._folder = self._home = home
        self._opens, self._writer = opens, ShardedWriter(home)
        self._moment: Moment | None = None
        self._see(view)

    def _see(self, view: View) -> None:
        """From here on it is seen so."""
        self._view, self._passages = view, view.passages

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`; see `Sharded.load`."""
        opened = Sharded.load(folder)
        assert isinstance(opened, cls)
        return opened

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        return self._view.passages.get(ids)

    @property
    def _now(self) -> Moment:
        """The shards as who changes them has them open: those that are searched, if they are in this process."""
        manifest = self._view.manifest
        if self._moment is None or self._moment.manifest is not manifest:
            self._moment = Moment(manifest, self._view.shards.opened or Shards(self._home, manifest).opened or [])
        return self._moment

    def _move(self, moment: Moment) -> None:
        """From here on it is as at this moment, whose manifest is published."""
        if moment is not self._moment:
            searched = self._view.shards.opened is not None
            own = Shards(self._home, moment.manifest, moment.shards)
            shards = own if searched else self._opens(self._home, moment.manifest)
            self._see(View.of(self._home, moment.manifest, shards))
            self._moment = moment

    def _change_once(self, ids: Iterable[str], added: list[Passage]) -> None:
        self._move(self._writer.change(self._now, self._view.passages, ids, added))

    @property
    def _is_loose(self) -> bool:
        return self._now.is_loose

    def _settle(self) -> Any:
        settled = self._writer.settle(self._now)
        if settled is self._now:
            return None
        self._move(settled)
        return settled

    def _made_whole(self, before: Any) -> Any:
        return self._writer.made_whole(before)

    def _take_whole(self, before: Any, made: Any) -> None:
        self._move(self._writer.take_whole(self._now, before, made))

    def _refresh(self) -> bool:
        before = self._view.manifest
        if ShardedManifest.read(self._home) == before:
            return False
        view = View.open(self._home, self._opens)
        if view.manifest.lasting != before.lasting:
            raise MismatchError(f"{self._home} now holds an index with other settings; open it anew.")
        self._see(view)
        return True

    def _sweep(self) -> None:
        self._writer.sweep(self._now)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return object.__reduce_ex__(self, protocol)  # with its shards, which may be elsewhere

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_moment": None}


class ShardedBM25(InShards):
    """The part of an index in shards that ranks as `BM25` does, and has its fingerprint."""

    kind = BM25.kind

    def __init__(self, home: Path, view: View, opens: OpensShards) -> None:
        """Search these shards; use `Sharded.load` instead."""
        self._start(home, view, opens)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: the corpus as it is now, and the way it is indexed."""
        return self._view.settings(WORDS)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        view = self._view  # of one moment
        found = view.shards.rank(WORDS, list(queries), k, view.count_words(queries))
        return merge_found(found, len(queries), k)

    def __repr__(self) -> str:
        return f"ShardedBM25({len(self)} passages)"


class ShardedDense(InShards, VectorIndex):
    """The part of an index in shards that ranks as `Dense` does, and has its fingerprint."""

    kind = Dense.kind

    def __init__(self, home: Path, view: View, opens: OpensShards, encoder: TextEncoder) -> None:
        """Search these shards; use `Sharded.load` instead."""
        self.encoder = encoder
        self._start(home, view, opens)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: the corpus as it is now, and the way it is indexed."""
        return self._view.settings(MEANINGS)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not queries:
            return []
        found = self._view.shards.rank(MEANINGS, self.encoder.embed_queries(queries), k)
        rankings = merge_found(found, len(queries), k)
        return [ranking if query.strip() else [] for query, ranking in zip(queries, rankings, strict=True)]

    def __repr__(self) -> str:
        return f"ShardedDense({len(self)} passages, {self.settings['encoder']})"


class ShardedHybrid(InShards, Hybrid):
    """An index in shards that ranks as `Hybrid` does, and has its fingerprint."""

    def __init__(self, home: Path, view: View, opens: OpensShards, encoder: TextEncoder) -> None:
        """Search these shards; use `Sharded.load` instead."""
        self._encoder = encoder
        both = self._halves(home, view, opens)
        judging = encoder if isinstance(encoder, Encoder) else None
        Hybrid.__init__(self, *both, rerank=view.manifest.rerank, encoder=judging)
        self._start(home, view, opens)

    def _halves(self, home: Path, view: View, opens: OpensShards) -> tuple[ShardedBM25, ShardedDense]:
        return ShardedBM25(home, view, opens), ShardedDense(home, view, opens, self._encoder)

    def _see(self, view: View) -> None:
        super()._see(view)
        self._both = self._halves(self._home, view, self._opens)


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
        opens = current_shards.get()
        view = View.open(home, opens)
        if encoder is None:
            return ShardedBM25(home, view, opens)
        if manifest.words is None:
            return ShardedDense(home, view, opens, encoder)
        return ShardedHybrid(home, view, opens, encoder)


def merge_found(shards: Sequence[list[list[Found]]], queries: int, k: int) -> list[list[Hit]]:
    """The hits of all shards as one ranking for each query: by score, equal ones in the order of the corpus."""
    merged = (merge(*(rankings[number] for rankings in shards)) for number in range(queries))
    return [[Hit(found.passage, -found.minus_score) for found in islice(ranking, k)] for ranking in merged]
