"""BM25 search, exact, over one passage or five million, in memory or from a folder on disk."""

import math
import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field

from ..base import InputError, MismatchError
from .corpus_index import BLOCK, CorpusCheck, CorpusIndex, PassageFile, write_passages
from .index_folder import HashTable, Manifest, damaged, hash_texts, index_of
from .inverted_index import (
    DESCRIPTION,
    INDICES,
    NO_TERM,
    TermCounts,
    TermTable,
    read_postings,
    score_terms,
    words,
    write_scored_terms,
)
from .passage import Hit, Passage, Passages, Progress
from .retriever import check_search
from .word_search import WordSearch

_TERMS = "terms"
K1 = Annotated[float, Field(ge=0)]
"""The effect of repeating a term."""
B = Annotated[float, Field(ge=0, le=1)]
"""The effect of a passage's length."""


class WordManifest(Manifest):
    """The settings of an index of words."""

    analyzer: str
    k1: K1
    b: B
    titles: bool
    corpus: str


class BM25(CorpusIndex):
    """A retriever that ranks by BM25 (as Lucene computes it) over English stems.

    Building and scoring are done in plain numpy, with no compilation at the first query. Passages that share no term
    with a query are never hits. Equal scores are ranked in the order of the corpus, so a query has one answer, alone or
    in a batch, from memory or from disk.

    Examples:
        >>> from multihop.retrieval import BM25, Passage
        >>> retriever = BM25.build([
        ...     Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
        ...     Passage("p2", "Po", "The Po is the longest river of Italy."),
        ... ])
        >>> [hit.passage.title for hit in retriever.search(["rivers of Italy"], k=5)[0]]
        ['Po']
    """

    kind = "bm25"
    manifest = WordManifest

    def __init__(self, passages: Passages, stems: HashTable, search: WordSearch, settings: dict[str, Any]) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages, self._stems, self._search, self._settings = passages, stems, search, settings
        self._terms = TermTable(partial(_number, stems))  # not of `self`: who lets go closes the files

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        k1: float = 1.2,
        b: float = 0.75,
        titles: bool = True,
        folder: str | os.PathLike[str] | None = None,
        progress: Progress = None,
    ) -> "BM25":
        """An index of the passages, in memory, or in `folder` and opened from there.

        Args:
            passages: The corpus; a generator will do, it is read once. Into a folder the passages go straight to
                disk, and the folder appears only when everything is in it.
            k1: The effect of repeating a term: 0 for none, and large values for ever more.
            b: The effect of a passage's length: 0 for none, 1 to lower scores in proportion to it.
            titles: True to find a passage by the words of its title as well as by those of its text.
            folder: The folder for the index; an index that is already there is replaced.
            progress: Called with the number of passages read, every few thousand.
        """
        if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1):
            raise InputError(f"BM25 needs k1 of at least 0 and b between 0 and 1, not k1={k1} and b={b}.")
        settings = {"analyzer": DESCRIPTION, "k1": float(k1), "b": float(b), "titles": titles}
        if folder is not None:
            return cls._built_in(folder, lambda scratch: write_words(scratch, passages, settings, progress))
        listed: list[Passage] = []
        counts, corpus = TermCounts(), CorpusCheck()
        for block in corpus.blocks(passages, BLOCK):
            listed += block
            _count(block, titles, counts, progress)
        corpus.table(listed)
        search = WordSearch(score_terms(counts, k1=k1, b=b), len(listed))
        return cls(
            listed, HashTable.of_hashes(hash_texts(counts.stems)), search, {**settings, "corpus": corpus.fingerprint}
        )

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile, encoder: Any = None) -> Self:
        """The index of these passages whose words are in a folder, and whose settings are these."""
        if described.analyzer != DESCRIPTION:
            raise MismatchError(
                f"{index_of(home)} splits text into terms by other rules; rebuild it with `multihop index`."
            )
        stems = HashTable.read(home, _TERMS)
        search = WordSearch(read_postings(home, len(stems)), len(passages))
        return cls(passages, stems, search, {name: getattr(described, name) for name in WordManifest.__annotations__})

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return [self._rank(query, k) for query in queries]

    def _rank(self, query: str, k: int) -> list[Hit]:
        terms = [term for term in map(self._terms.__getitem__, words(query)) if term != NO_TERM]
        try:
            places, scores = self._search.find_best(terms, k)
        except (IndexError, ValueError) as error:  # terms or passages that are not there: a large index is not read
            raise damaged(self._folder or "the index", INDICES) from error
        return self._hits(list(zip(places, scores, strict=True)))

    def _write_again(self, folder: Path, passages: Iterable[Passage], progress: Progress = None) -> dict[str, Any]:
        return write_words(folder, passages, self._settings, progress)

    def __repr__(self) -> str:
        return f"BM25({len(self)} passages, {len(self._stems)} terms)"


def _number(stems: HashTable, stem: str) -> int:
    return next(iter(stems.find(stem)), NO_TERM)


def write_words(
    folder: Path, passages: Iterable[Passage], settings: dict[str, Any], progress: Progress = None
) -> dict[str, Any]:
    """Write passages and the index of their words into an empty folder; returns what its manifest says of them."""
    k1, b, titles = (settings[name] for name in ("k1", "b", "titles"))
    with tempfile.TemporaryFile(dir=folder) as waiting:
        counts = TermCounts(waiting)
        corpus = write_passages(folder, passages, lambda block: _count(block, titles, counts, progress))
        HashTable.of_hashes(hash_texts(counts.stems)).write(folder, _TERMS)
        write_scored_terms(counts, folder, k1=k1, b=b)
    return {**settings, **corpus}


def _count(block: list[Passage], titles: bool, counts: TermCounts, progress: Progress) -> None:
    """Count the terms of the next passages."""
    counts.add([f"{passage.title} {passage.text}" if titles else passage.text for passage in block])
    if progress:
        progress(counts.passages)
