"""Hybrid retrieval: BM25's and dense scores added up."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from ..encoder import TextEncoder, open_encoder
from .bm25 import BM25, WordManifest, write_words
from .corpus_index import CorpusIndex, PassageFile
from .dense import Dense, Encoding, VectorManifest
from .index_folder import index_fingerprint
from .inverted_index import DESCRIPTION
from .passage import Hit, Passage, Progress
from .retriever import check_search

DEPTH = 50
"""The places of each ranking that count."""


class HybridManifest(WordManifest, VectorManifest):
    """The settings of both indexes."""


class Hybrid(CorpusIndex):
    """A retriever that adds up BM25's and the vectors' scores; it is built and asked as `Dense` is."""

    kind = "hybrid"
    manifest = HybridManifest

    def __init__(self, words: BM25, meanings: Dense) -> None:
        """Two indexes of the same corpus: one ranks by words, the other by vectors."""
        self._both = words, meanings
        self._passages = getattr(words, "_passages", ())

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        one_vector: bool = False,
        folder: str | os.PathLike[str] | None = None,
        encoder: TextEncoder | None = None,
        progress: Progress = None,
    ) -> "Hybrid":
        """Both indexes of the passages, in memory, or in `folder` and opened from there; see `Dense.build`."""
        encoder = encoder or open_encoder()
        if folder is None:
            words = BM25.build(passages, titles=titles)
            meanings = Dense.build(words, titles=titles, one_vector=one_vector, encoder=encoder, progress=progress)
            return cls(words, meanings)
        settings = {"analyzer": DESCRIPTION, "k1": 1.2, "b": 0.75, "titles": titles}
        encoding = Encoding(encoder, titles, one_vector)
        return cls._built_in(
            folder, lambda scratch: {**write_words(scratch, passages, settings), **encoding.write(scratch, progress)}
        )

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile, encoder: TextEncoder | None = None) -> Self:
        """The index of these passages whose words and vectors are in a folder, and whose settings are these."""
        return cls(BM25.of(home, described, passages), Dense.of(home, described, passages, encoder))

    def _write_again(self, folder: Path, passages: Iterable[Passage], progress: Progress = None) -> dict[str, Any]:
        words, meanings = self._both
        return {**words._write_again(folder, passages), **meanings.write_vectors_again(folder, progress)}

    @property
    def _lasting(self) -> Any:
        return [index._lasting for index in self._both]

    @property
    def encoder(self) -> TextEncoder:
        """The encoder that makes the vectors."""
        return self._both[1].encoder

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: both indexes, and the way their rankings are fused."""
        words, meanings = self._both
        parts = {"words": words.fingerprint, "meanings": meanings.fingerprint}
        return {**parts, "fused": "scores", "depth": DEPTH, "rerank": 0}  # the last keeps fingerprints as they were

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings."""
        return index_fingerprint(self.kind, list(self.settings.values()))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        depth = max(k, DEPTH)
        words, meanings = self._both
        by_words, by_meaning = words.search(queries, depth), meanings.search(queries, depth)
        return [add_up(*both)[:k] for both in zip(by_words, by_meaning, strict=True)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._folder is not None:
            return super().__reduce_ex__(protocol)
        return type(self), self._both

    def __repr__(self) -> str:
        return f"Hybrid({len(self)} passages)"


def add_up(*rankings: Sequence[Hit]) -> list[Hit]:
    """The hits of several rankings as one, each passage once, scored by the mean of its scores in them.

    The scores of each ranking are put between 1, its first hit's, and 0, that of the last that counts; a passage that a
    ranking does not have has 0 there. Of equals the one that was met first comes first.
    """
    passages = {hit.passage.id: hit.passage for ranking in rankings for hit in ranking}
    scores = dict.fromkeys(passages, 0.0)
    for ranking in filter(None, rankings):
        best, least = ranking[0].score, ranking[:DEPTH][-1].score
        for passage, score in ranking:
            scores[passage.id] += max(0.0, (score - least) / (best - least) if best > least else 1.0) / len(rankings)
    ordered = sorted(scores.items(), key=lambda scored: -scored[1])
    return [Hit(passages[name], score) for name, score in ordered]
