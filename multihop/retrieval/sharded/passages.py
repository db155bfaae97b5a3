"""The passages of an index in shards, read from there."""

from collections.abc import Iterator, Sequence
from heapq import merge
from pathlib import Path
from typing import Any

from ..corpus_check import CorpusCheck
from ..id_table import IdTable
from ..living.changes_file import read_gone
from ..living.corpus import CorpusPart, FoundById, LivingCorpus
from ..living.gone import Gone
from ..living.packed import PACKED, read_packed
from ..passage import Passage
from ..passage_file import PassageFile
from .changes import Positions, ShardedChanges, read_positions
from .layout import MEANINGS, WORDS, ShardedManifest, shard_name

_CHECKED = 4096


class ShardedPassages(FoundById[tuple[int, int]]):
    """The passages of an index in shards, by their position in the corpus; each is at a place of a shard."""

    def __init__(
        self, home: Path, manifest: ShardedManifest, shards: Sequence[tuple[LivingCorpus, Positions]] | None = None
    ) -> None:
        """The passages of each shard and their positions, opened unless they are given."""
        self._home, self._manifest, self._order = home, manifest, manifest.order
        self._shards = shards or [self._open(number) for number in range(len(manifest.shards))]
        self._fingerprint: str | None = None

    def __len__(self) -> int:
        return self._manifest.passages

    def __getitem__(self, position: int) -> Passage:
        if self._manifest.changes is None:
            shard, place = self._order.place(position)
            return self._shards[shard][0][place]
        for corpus, positions in self._shards:
            found = positions.place(position)
            if found is not None:
                return corpus[found]
        raise IndexError(position)

    def __iter__(self) -> Iterator[Passage]:
        if self._manifest.changes is None:
            yield from map(self.__getitem__, range(len(self)))
            return
        each = [zip(positions.of_left().tolist(), corpus, strict=True) for corpus, positions in self._shards]
        yield from (passage for _, passage in merge(*each, key=lambda pair: pair[0]))

    def find(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """The shards of those of the ids that the corpus has, and their places there."""
        each = (corpus.find(ids) for corpus, _ in self._shards)
        return {id_: (shard, place) for shard, found in enumerate(each) for id_, place in found.items()}

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        return {id_: self._shards[shard][0][place] for id_, (shard, place) in self.find(ids).items()}

    @property
    def fingerprint(self) -> str:
        """The identity of the corpus; all passages are read for it, once, where it has changed."""
        if self._fingerprint is None:
            check = CorpusCheck()
            for _ in check.blocks(self, _CHECKED):
                pass
            self._fingerprint = check.fingerprint
        return self._fingerprint

    def __reduce__(self) -> Any:
        return ShardedPassages, (self._home, self._manifest)

    def _open(self, number: int) -> tuple[LivingCorpus, Positions]:
        part = WORDS if self._manifest.words is not None else MEANINGS
        folder, changes = self._home / shard_name(number) / part, ShardedChanges.of(self._manifest, self._home)
        parts = changes.shards[number][part]
        gone = read_gone(folder, parts)
        corpus = LivingCorpus([_open_part(folder / name, gone.get(name, Gone.nothing())) for name in parts.parts])
        return corpus, read_positions(self._home, self._manifest, changes, number, corpus)


def _open_part(folder: Path, gone: Gone) -> CorpusPart:
    if folder.name.endswith(PACKED):
        return CorpusPart(passages=read_packed(folder)[0], index=None, gone=gone)
    return CorpusPart(passages=PassageFile(folder), index=None, gone=gone, table=IdTable.read(folder))
