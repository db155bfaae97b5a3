"""Hybrid retrieval: BM25 and dense rankings fused, the first hits optionally reranked by the encoder."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ..base import InputError, writing_folder
from ..encoder import Encoder, Pair, TextEncoder
from .bm25 import BM25
from .candidates import Approximation
from .corpus_index import CorpusIndex, VectorIndex
from .dense import Dense
from .fusion import CONSTANT, fuse
from .index_folder import MANIFEST, damaged, index_fingerprint, open_manifest, seal
from .passage import Hit, Passage
from .passage_file import LINES
from .retriever import check_search

FORMAT = 1
DEPTH = 50
"""The places of each ranking that count."""


class Hybrid(CorpusIndex):
    """A retriever that fuses BM25's and the vectors' rankings, and may have the encoder judge the first ones.

    Examples:
        >>> from multihop.retrieval import Hybrid, Passage
        >>> retriever = Hybrid.build([
        ...     Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
        ...     Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
        ... ])
        >>> [hit.passage.title for hit in retriever.search(["a river in Vienna"], k=1)[0]]
        ['Danube']
    """

    kind = "hybrid"

    def __init__(
        self,
        words: CorpusIndex,
        meanings: VectorIndex,
        *,
        rerank: int = 0,
        encoder: Encoder | None = None,
    ) -> None:
        """Two indexes of the same corpus.

        Args:
            words: Ranks by the words.
            meanings: Ranks by the vectors.
            rerank: The number of first fused hits that the encoder judges and orders anew.
            encoder: The encoder that judges; the built-in one if not given.
        """
        if rerank < 0:
            raise InputError(f"rerank is a number of hits, 0 or more, not {rerank}.")
        self._words, self._meanings = words, meanings
        self._rerank = rerank
        self._judge = encoder or Encoder.load()

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        one_vector: bool = False,
        rerank: int = 0,
        folder: str | os.PathLike[str] | None = None,
        encoder: TextEncoder | None = None,
        approximate: Approximation | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Hybrid":
        """Both indexes of the passages, in memory, or in `folder` and opened from there; see `Dense.build`."""
        build_dense = partial(
            Dense.build,
            titles=titles,
            one_vector=one_vector,
            encoder=encoder,
            approximate=approximate,
            progress=progress,
        )
        if folder is None:
            words = BM25.build(passages, titles=titles)
            return cls(words, build_dense(words), rerank=rerank, encoder=_judge_of(encoder))
        with writing_folder(folder, marker=MANIFEST) as scratch:
            words = BM25.build(passages, titles=titles, folder=scratch / "words")
            meanings = build_dense(words, folder=scratch / "meanings")
            # Both hold the same passages, byte for byte: they need not be on the disk twice.
            (scratch / "meanings" / LINES).unlink()
            os.link(scratch / "words" / LINES, scratch / "meanings" / LINES)
            parts = {"words": words.fingerprint, "meanings": meanings.fingerprint}
            seal(scratch, {"kind": cls.kind, "format": FORMAT, "passages": len(words), "rerank": rerank, **parts})
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or of another version.
        """
        folder = os.path.expanduser(folder)
        manifest = open_manifest(folder, cls.kind, FORMAT)
        words, meanings = BM25.load(Path(folder) / "words"), Dense.load(Path(folder) / "meanings")
        if (words.fingerprint, meanings.fingerprint) != (manifest.get("words"), manifest.get("meanings")):
            raise damaged(folder, MANIFEST)
        return cls(words, meanings, rerank=manifest["rerank"], encoder=_judge_of(meanings.encoder))._at(folder)

    @property
    def encoder(self) -> TextEncoder:
        """The encoder that makes the vectors."""
        return self._meanings.encoder

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: both indexes, and the way their rankings are fused."""
        parts = {"words": self._words.fingerprint, "meanings": self._meanings.fingerprint}
        fused = {**parts, "constant": CONSTANT, "depth": DEPTH, "rerank": self._rerank}
        return {**fused, "encoder": self._judge.fingerprint} if self._rerank else fused

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings."""
        return index_fingerprint(self.kind, list(self.settings.values()))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        depth = max(k, DEPTH)
        by_words, by_meaning = self._words.search(queries, depth), self._meanings.search(queries, depth)
        rankings = [fuse(*both)[: max(k, self._rerank)] for both in zip(by_words, by_meaning, strict=True)]
        if self._rerank:
            rankings = self._rerank_all(queries, rankings)
        return [ranking[:k] for ranking in rankings]

    def passage(self, place: int) -> Passage:
        """The passage at a place of the corpus."""
        return self._words.passage(place)

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        return iter(self._words)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._words)

    def _rerank_all(self, queries: Sequence[str], rankings: Sequence[list[Hit]]) -> list[list[Hit]]:
        """The first hits by how relevant the encoder finds them; the others after them, as they were."""
        heads = [ranking[: self._rerank] for ranking in rankings]
        pairs = [Pair(query, str(hit.passage)) for query, head in zip(queries, heads, strict=True) for hit in head]
        judged = iter(self._judge.judge(pairs))
        ordered = []
        for ranking, head in zip(rankings, heads, strict=True):
            scored = [Hit(hit.passage, 1 + next(judged).relevant) for hit in head]
            ordered.append([*sorted(scored, key=lambda hit: -hit.score), *ranking[len(head) :]])
        return ordered

    def __repr__(self) -> str:
        return f"Hybrid({len(self)} passages, rerank={self._rerank})"


def _judge_of(encoder: TextEncoder | None) -> Encoder | None:
    """The encoder that reads hits again: the one that makes the vectors, if it can judge, else the built-in one."""
    return encoder if isinstance(encoder, Encoder) else None
