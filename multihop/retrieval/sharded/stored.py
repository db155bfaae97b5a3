"""The passages of an index in shards, in the order of the corpus, read from where its shards lie."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..passage import Passage
from ..passage_file import PassageFile
from .layout import MEANINGS, WORDS, ShardedManifest, shard_name


class ShardedPassages:
    """The passages by their position in the corpus."""

    def __init__(self, home: Path, manifest: ShardedManifest) -> None:
        """Nothing is opened yet."""
        self.home, self._manifest = home, manifest
        self._files = cache(self._open)

    def __len__(self) -> int:
        return self._manifest.passages

    def __getitem__(self, position: int) -> Passage:
        shard, place = self._manifest.deal.place(position)
        return self._files(shard)[place]

    def __iter__(self) -> Iterator[Passage]:
        return map(self.__getitem__, range(len(self)))

    def __reduce__(self) -> tuple[type["ShardedPassages"], tuple[Path, ShardedManifest]]:
        return ShardedPassages, (self.home, self._manifest)

    def _open(self, number: int) -> PassageFile:
        part = WORDS if self._manifest.words is not None else MEANINGS
        return PassageFile(self.home / shard_name(number) / part)
