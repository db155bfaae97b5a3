"""BM25 search, exact, over one passage or five million, in memory or from a folder on disk."""

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import InputError, MismatchError
from .changing_index import ChangingIndex
from .corpus import CorpusCheck, IdTable, PassageFile, write_passages
from .index_folder import FORMAT, damaged, seal, writing_index
from .passage import Hit, Passage, Passages
from .retriever import check_search
from .words.analyzer import DESCRIPTION, NO_TERM, TermTable, words
from .words.postings import INDICES, read_postings, score_terms, write_for_bm25s, write_scored_terms
from .words.term_counts import TermCounts
from .words.term_file import TermFile, write_terms
from .words.word_search import WordSearch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 4096
_SETTINGS = ("k1", "b", "titles", "corpus")


class BM25(ChangingIndex):
    """A retriever that ranks by BM25 (as Lucene computes it) over English stems.

    The index has bm25s's format and its scores to the last bit; building and scoring are done here, in plain numpy,
    with no compilation at the first query. Passages that share no term with a query are never hits. Equal scores
    are ranked in the order of the corpus, so a query has one answer, alone or in a batch, from memory or from disk.

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

    def __init__(
        self,
        passages: Passages,
        stems: Mapping[str, int],
        search: WordSearch,
        settings: dict[str, Any],
        ids: IdTable | None = None,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages, self._stems, self._search, self._ids = passages, stems, search, ids
        self._settings = settings
        self._terms = TermTable(stems, learn=False)

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        k1: float = 1.2,
        b: float = 0.75,
        titles: bool = True,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[int], None] | None = None,
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

        Raises:
            InputError: The corpus is empty, has an id twice or something that is no passage, or `k1` or `b` is out
                of range.
        """
        if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1):
            raise InputError(f"BM25 needs k1 of at least 0 and b between 0 and 1, not k1={k1} and b={b}.")
        if folder is not None:
            with writing_index(folder) as scratch:
                seal(scratch, {"kind": cls.kind, **write_words(scratch, passages, k1, b, titles, progress)})
            return cls.load(folder)
        listed: list[Passage] = []
        counts, corpus = TermCounts(), CorpusCheck()
        for block in corpus.blocks(passages, _BLOCK):
            listed += block
            _count(block, titles, counts, progress)
        corpus.refuse_duplicates(listed)
        search = WordSearch(score_terms(counts, k1=k1, b=b), len(listed))
        return cls(listed, counts.stems, search, _settings(k1, b, titles, corpus.fingerprint))

    @classmethod
    def of(cls, home: Path, described: Mapping[str, Any], passages: PassageFile, ids: IdTable) -> Self:
        """The index of these passages whose words are in a folder, and whose settings are these."""
        if described.get("analyzer") != DESCRIPTION:
            raise MismatchError(f"{home} splits text into terms by other rules; rebuild it with `multihop index`.")
        stems = TermFile(home)
        postings, highest = read_postings(home, len(stems))
        settings = _settings(*(described[name] for name in _SETTINGS))
        return cls(passages, stems, WordSearch(postings, len(passages), highest), settings, ids)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return [self._rank(query, k) for query in queries]

    def _rank(self, query: str, k: int) -> list[Hit]:
        terms = [term for term in map(self._terms.__getitem__, words(query)) if term != NO_TERM]
        try:
            places, scores = self._search.find_best(terms, k)
            return self._hits(list(zip(places, scores, strict=True)))
        except IndexError as error:  # passages that are not there: of a large index only the sizes are checked
            raise damaged(self._folder or "the index", INDICES) from error

    def _rewrite(self, scratch: Path, kept: "NDArray[np.int64]", added: Sequence[Passage]) -> None:
        seal(scratch, {"kind": self.kind, **self.write_like(scratch, kept, added)})

    def write_like(self, folder: Path, kept: "NDArray[np.int64]", added: Sequence[Passage]) -> dict[str, Any]:
        """Write the words of its passages at some places, and of new ones, by its settings; see `write_words`."""
        passages = chain(map(self._passages.__getitem__, kept.tolist()), added)
        return write_words(folder, passages, *(self._settings[name] for name in _SETTINGS[:3]))

    def __repr__(self) -> str:
        return f"BM25({len(self)} passages, {len(self._stems)} terms)"


def write_words(
    folder: Path,
    passages: Iterable[Passage],
    k1: float = 1.2,
    b: float = 0.75,
    titles: bool = True,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Write passages and the index of their words into an empty folder; returns what its manifest says of them."""
    with tempfile.TemporaryFile(dir=folder) as waiting:
        counts = TermCounts(waiting)
        corpus = write_passages(folder, passages, _BLOCK, lambda block: _count(block, titles, counts, progress))
        release = write_for_bm25s(folder, counts.stems, counts.passages, k1=k1, b=b)
        write_terms(folder, counts.stems)
        write_scored_terms(counts, folder, k1=k1, b=b)
    return {"format": FORMAT, "passages": counts.passages, **_settings(k1, b, titles, corpus), "bm25s": release}


def _settings(k1: float, b: float, titles: bool, corpus: str) -> dict[str, Any]:
    """Everything that decides which passages an index finds."""
    if not (isinstance(titles, bool) and isinstance(corpus, str) and math.isfinite(k1) and math.isfinite(b)):
        raise ValueError("not the settings of an index")
    return {"analyzer": DESCRIPTION, "k1": float(k1), "b": float(b), "titles": titles, "corpus": corpus}


def _count(block: list[Passage], titles: bool, counts: TermCounts, progress: Callable[[int], None] | None) -> None:
    """Count the terms of the next passages."""
    counts.add([f"{passage.title} {passage.text}" if titles else passage.text for passage in block])
    if progress:
        progress(counts.passages)
