"""A corpus dealt out to the builders of its shards, and their counts brought together."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ...base import InputError, unknown, writing_folder
from ...encoder import open_encoder
from ..bm25 import bm25_settings
from ..corpus_check import CorpusCheck
from ..dense import dense_settings
from ..index_folder import MANIFEST
from ..passage import Passage
from ..words.term_counts import CorpusCounts
from .layout import RoundRobin, ShardedManifest, ShardEntry
from .passages import ShardedPassages
from .shard import ShardBuilder, ShardCounts, ShardRecipe

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

KINDS = ("bm25", "dense", "hybrid")
"""The indexes that can be in shards."""


class Builders:
    """The builders of an index's shards, one for each; these are in this process, and build one after the other."""

    def __init__(self, folder: Path, shards: int, recipe: ShardRecipe) -> None:
        """Open the builders of so many shards in the folder."""
        self._builders = [ShardBuilder(folder, number, recipe) for number in range(shards)]

    def add(self, shard: int, block: list[Passage]) -> int:
        """Hand a block to a shard's builder; returns the number of passages in their shards since the last call."""
        return self._builders[shard].add(block)

    def count(self) -> list[ShardCounts]:
        """The counts of each builder, once all blocks are in."""
        return [each.count() for each in self._builders]

    def finish(self, corpus_counts: Iterable[CorpusCounts], corpora: Sequence[str]) -> list[ShardEntry]:
        """Have each write its shard, given the counts of the whole corpus in its terms and its passages' identity."""
        each = zip(self._builders, corpus_counts, corpora, strict=True)
        return [builder.finish(whole, corpus) for builder, whole, corpus in each]

    def close(self) -> None:
        """Close the builders."""
        for each in self._builders:
            each.close()


OpensBuilders: TypeAlias = Callable[[Path, int, ShardRecipe], Builders]
"""A function that opens a number of builders of shards in a folder."""


def build_shards(
    passages: Iterable[Passage],
    folder: str | os.PathLike[str],
    *,
    shards: int,
    retriever: str = "bm25",
    rerank: int = 0,
    block: int | None = None,
    progress: Callable[[int], None] | None = None,
    builders: OpensBuilders = Builders,
    **options: Any,
) -> None:
    """An index in `folder`, in at most `shards` shards: as many as there are blocks of passages.

    Args:
        passages: The corpus; it is read once.
        folder: The folder for the index; an index that is already there is replaced.
        shards: The largest number of shards.
        retriever: "bm25", "dense" or "hybrid".
        rerank: As for `Hybrid`.
        block: Passages dealt at once; as many as an encoder is given at once by default.
        progress: Called with the number of passages that are in their shards, now and then.
        builders: The builders; this process by default.
        **options: The recipe for the shards, see `ShardRecipe`.

    Raises:
        InputError: The corpus is empty, has an id twice or something that is no passage, or there is no such retriever.
    """
    if retriever not in KINDS:
        raise unknown("retriever in shards", retriever, KINDS)
    if shards < 1 or rerank < 0:
        raise InputError(f"an index has 1 shard or more and reads 0 hits or more again, not {shards} and {rerank}.")
    recipe = ShardRecipe(retriever=retriever, **options)
    size = block or RoundRobin(shards).block
    report = progress or (lambda done: None)
    with writing_folder(folder, marker=MANIFEST) as scratch:
        check = CorpusCheck()
        blocks = check.blocks(passages, size)
        first = list(islice(blocks, shards))
        count = len(first)  # a small corpus needs fewer shards
        with closing(builders(scratch, count, recipe)) as opened:
            done = 0
            for number, each in enumerate(chain(first, blocks)):
                done += opened.add(number % count, each)
                report(done)
            counts = opened.count()
            report(check.seen)
            corpora = [f"{check.fingerprint}, {number + 1} of {count}" for number in range(count)]
            entries = opened.finish(whole_counts(counts), corpora)
        encoder = (recipe.encoder or open_encoder()) if recipe.has_vectors else None
        words = bm25_settings(recipe.k1, recipe.b, recipe.titles, check.fingerprint)
        manifest = ShardedManifest(
            retriever=retriever,
            passages=check.seen,
            block=size,
            shards=entries,
            words=words if recipe.has_words else None,
            meanings=dense_settings(encoder, recipe.titles, check.fingerprint, recipe.one_vector) if encoder else None,
            encoder=encoder.place if encoder is not None else {},
            rerank=rerank,
        )
        check.refuse_duplicates(ShardedPassages(scratch, manifest))
        manifest.write(scratch)


def whole_counts(shards: Sequence[ShardCounts]) -> Iterator[CorpusCounts]:
    """For each shard the counts of the whole corpus, with the frequencies of that shard's terms."""
    import numpy as np

    numbers: dict[str, int] = {}
    own = [np.array([numbers.setdefault(stem, len(numbers)) for stem in each.stems], np.int64) for each in shards]
    frequency: NDArray[int64] = np.zeros(len(numbers), np.int64)
    for each, places in zip(shards, own, strict=True):
        frequency[places] += each.counts.frequency
    passages, length = sum(each.counts.passages for each in shards), sum(each.counts.length for each in shards)
    for places in own:
        yield CorpusCounts(passages, length, frequency[places])
