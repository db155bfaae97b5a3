"""One shard: a folder with a BM25 index, a dense index or both, built from blocks and searched by itself."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...base import DamagedFileError, InputError
from ...encoder import TextEncoder, open_encoder
from ..bm25 import BM25, bm25_settings, text_of_words, write_bm25
from ..dense import Dense, dense_settings, encode, seal_dense
from ..id_table import HASHES, PLACES, IdTable
from ..index_folder import damaged, index_fingerprint, is_index
from ..living.corpus import LivingCorpus
from ..living_index import State
from ..passage import Passage
from ..passage_file import LINES, OFFSETS, PassageFile, PassageWriter
from ..vectors.vector_file import VectorWriter
from ..words.statistics import Frequency, Statistics
from ..words.term_counts import CorpusCounts, TermCounts
from .changes import Positions, ShardedChanges, read_positions
from .layout import MEANINGS, WORDS, ShardedManifest, ShardEntry, shard_name


class Found(NamedTuple):
    """A passage that a shard found; the smallest comes first."""

    minus_score: float
    """Its score, with the sign changed."""
    position: int
    """Its position in the corpus, which ranks equal scores."""
    passage: Passage
    """The passage."""


class ShardCounts(NamedTuple):
    """The counts of one shard, to be added up to those of the whole corpus."""

    stems: list[str]
    """Its terms."""
    counts: CorpusCounts
    """Its counts, with a frequency for each of these terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRecipe:
    """The recipe for the shards of an index."""

    retriever: str
    """"bm25", "dense" or "hybrid"."""
    titles: bool = True
    """True if titles are indexed together with texts."""
    one_vector: bool = False
    """As for `Dense`."""
    k1: float = 1.2
    """As for `BM25`."""
    b: float = 0.75
    """As for `BM25`."""
    encoder: TextEncoder | None = None
    """The encoder that makes the vectors; the built-in one if None."""

    @property
    def has_words(self) -> bool:
        """True if a shard has a BM25 index."""
        return self.retriever != "dense"

    @property
    def has_vectors(self) -> bool:
        """True if a shard has a dense index."""
        return self.retriever != "bm25"


class ShardBuilder:
    """Builds one shard of blocks of passages, as they come."""

    def __init__(self, home: str | os.PathLike[str], number: int, recipe: ShardRecipe) -> None:
        """A new shard in the folder of an index that is being built.

        Raises:
            InputError: There is no such folder where this is called.
        """
        if not Path(home).is_dir():
            raise InputError(name_unseen(home))
        self._folder, self._recipe = Path(home) / shard_name(number), recipe
        parts = [WORDS] * recipe.has_words + [MEANINGS] * recipe.has_vectors
        for part in parts:
            (self._folder / part).mkdir(parents=True)
        self._first, *self._others = [self._folder / part for part in parts]
        self._files = ExitStack()
        self._passages = self._files.enter_context(PassageWriter(self._first))
        if recipe.has_vectors:
            self._vectors = self._files.enter_context(VectorWriter(self._folder / MEANINGS))
        self._waiting = tempfile.TemporaryFile(dir=self._first)  # noqa: SIM115 - closed by `close`
        self._counts = TermCounts(self._waiting)
        self._encoder = (recipe.encoder or open_encoder()) if recipe.has_vectors else None

    def add(self, block: Sequence[Passage]) -> int:
        """Take in the next block; returns the number of passages in it."""
        titles = self._recipe.titles
        self._passages.extend(block)
        if self._recipe.has_words:
            self._counts.add([text_of_words(passage, titles) for passage in block])
        if self._encoder is not None:
            self._vectors.extend(encode(block, self._encoder, titles, self._recipe.one_vector))
        return len(block)

    def close(self) -> None:
        """Close all files, and drop the counts that are not written."""
        self._files.close()
        self._waiting.close()

    def count(self) -> ShardCounts:
        """The shard's counts, once all blocks are in."""
        self._files.close()
        return ShardCounts(list(self._counts.stems), self._counts.in_all())

    def finish(self, whole: CorpusCounts, corpus: str) -> ShardEntry:
        """Write the shard's indexes; returns its entry for the manifest.

        Args:
            whole: The counts of the whole corpus for the terms of this shard.
            corpus: The identity of the passages of this shard.
        """
        recipe, fingerprints = self._recipe, {}
        IdTable.of(PassageFile(self._first)).write(self._first)
        for folder in self._others:  # the same passages, byte for byte: they need not be on the disk twice
            for name in (LINES, OFFSETS, HASHES, PLACES):
                os.link(self._first / name, folder / name)
        passages = len(PassageFile(self._first))
        if recipe.has_words:
            settings = bm25_settings(recipe.k1, recipe.b, recipe.titles, corpus)
            write_bm25(self._folder / WORDS, self._counts, settings, whole=whole)
            fingerprints[WORDS] = index_fingerprint(BM25.kind, settings)
        if self._encoder is not None:
            settings = dense_settings(self._encoder, recipe.titles, corpus, recipe.one_vector)
            seal_dense(self._folder / MEANINGS, settings, self._encoder, passages)
            fingerprints[MEANINGS] = index_fingerprint(Dense.kind, settings)
        return {"passages": passages, "fingerprints": fingerprints}


class Shard:
    """A shard that is searched; its hits have their positions in the whole corpus."""

    def __init__(self, home: str | os.PathLike[str], number: int, manifest: ShardedManifest) -> None:
        """Open the shard of that number.

        Raises:
            InputError: The index is not to be seen where this is called.
            DamagedFileError: The shard is missing, or is not as it was written.
        """
        if not Path(home).is_dir():
            raise InputError(name_unseen(home))
        self.number, self._home = number, Path(home)
        changes = ShardedChanges.of(manifest, self._home)
        self.parts: dict[str, BM25 | Dense] = {}
        entry, folder = manifest.shards[number], Path(home) / shard_name(number)
        for part, fingerprint in entry["fingerprints"].items():
            if not (folder / part).is_dir() or not (manifest.changes or is_index(folder / part)):
                missing = shard_name(number) if not folder.is_dir() else f"{shard_name(number)}/{part}"
                raise DamagedFileError(f"{home} is damaged, {missing} is missing; rebuild it with `multihop index`.")
            kind: type[BM25 | Dense] = BM25 if part == WORDS else Dense
            opened: BM25 | Dense = kind._open(folder / part, changes.shards[number][part])
            if not manifest.changes and (opened.fingerprint, len(opened)) != (fingerprint, entry["passages"]):
                raise damaged(home, f"{shard_name(number)}/{part}")
            self.parts[part] = opened
        self._begin(read_positions(self._home, manifest, changes, number, self.corpus), changes.statistics)

    def _begin(self, positions: Positions, whole: Statistics | None) -> None:
        self.positions = positions
        words = self.parts.get(WORDS)
        if isinstance(words, BM25) and whole is not None:
            self.parts[WORDS] = words.weighed_by(whole)

    def changed(self, states: Mapping[str, State[Any]], positions: Positions, whole: Statistics | None) -> "Shard":
        """The same shard in other states."""
        other = object.__new__(type(self))
        other.number, other._home = self.number, self._home
        other.parts = {part: index._with(states[part]) for part, index in self.parts.items()}
        other._begin(positions, whole)
        return other

    @property
    def corpus(self) -> LivingCorpus:
        """The passages of this shard."""
        return next(iter(self.parts.values()))._state.corpus

    def count(self, words: Sequence[str]) -> list[Frequency]:
        """The number of passages of this shard that hold the term of each word."""
        index = self.parts[WORDS]
        assert isinstance(index, BM25), "words are counted where they are indexed"
        return [index._state.search.count(word) for word in words]

    def rank(
        self, part: str, queries: Any, k: int, frequencies: Mapping[str, Frequency] | None = None
    ) -> list[list[Found]]:
        """The `k` best passages of this shard for each query.

        Args:
            part: The index that ranks, `WORDS` or `MEANINGS`.
            queries: Texts for the former, vectors for the latter.
            k: The number of passages for each.
            frequencies: The number of passages of the whole corpus that hold each word, where it has changed.
        """
        index, corpus = self.parts[part], self.corpus
        rankings = index.rank(queries, k, frequencies) if isinstance(index, BM25) else index.rank(queries, k)
        return [
            [Found(-score, self.positions[place], corpus[place]) for place, score in ranking] for ranking in rankings
        ]


def name_unseen(folder: str | os.PathLike[str]) -> str:
    """The sentence for an index folder that is not there where it is to be read or written."""
    import socket

    return (
        f"{folder} is no folder on {socket.gethostname()}; an index of shards lies in a folder that every node of the "
        "cluster sees under one name."
    )
