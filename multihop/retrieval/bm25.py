"""BM25 search, exact, over one passage or five million, in memory or from a folder on disk."""

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import InputError, MismatchError, writing_folder
from .corpus_check import CorpusCheck, Passages
from .corpus_index import CorpusIndex
from .index_folder import MANIFEST, damaged, open_manifest, reading_index, seal
from .passage import Hit, Passage
from .passage_file import PassageFile, PassageWriter
from .retriever import check_search
from .words.analyzer import DESCRIPTION, NO_TERM, TermTable, words
from .words.postings import (
    INDICES,
    Postings,
    read_highest,
    read_postings,
    score_terms,
    write_postings,
    write_scored_terms,
)
from .words.ranking import PlaceScores
from .words.term_counts import CorpusCounts, TermCounts
from .words.term_file import TermFile, write_terms
from .words.word_search import WordSearch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
_BLOCK = 4096


class BM25(CorpusIndex):
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
        postings: Postings,
        settings: dict[str, Any],
        highest: "NDArray[np.float32] | None" = None,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages = passages
        self._stems = stems
        self.postings = postings
        """Each term's passages with its weights there."""
        self._settings = settings
        self._table = TermTable(stems, learn=False)
        self._search = WordSearch(postings, len(passages), highest)

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
        if folder is None:
            all_passages: list[Passage] = []
            counts, corpus = TermCounts(), CorpusCheck()
            _read(passages, titles, all_passages.extend, counts, corpus, progress)
            corpus.refuse_duplicates(all_passages)
            settings = bm25_settings(k1, b, titles, corpus.fingerprint)
            return cls(all_passages, counts.stems, score_terms(counts, k1=k1, b=b), settings)
        with writing_folder(folder, marker=MANIFEST) as scratch, tempfile.TemporaryFile(dir=scratch) as waiting:
            counts, corpus = TermCounts(waiting), CorpusCheck()
            with PassageWriter(scratch) as writer:
                _read(passages, titles, writer.extend, counts, corpus, progress)
            corpus.refuse_duplicates(PassageFile(scratch))
            write_bm25(scratch, counts, bm25_settings(k1, b, titles, corpus.fingerprint))
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or of another version.
        """
        folder = os.path.expanduser(folder)
        manifest = open_manifest(folder, cls.kind, FORMAT)
        check_analyzer(folder, manifest)
        home = Path(folder)
        with reading_index(folder):
            stems, postings, highest = TermFile(home), read_postings(home), read_highest(home)
            passages = PassageFile(home)
            settings = bm25_settings(*(manifest[name] for name in ("k1", "b", "titles", "corpus")))
            fit = _fit(postings, len(stems)) and len(highest) == len(stems)
            if not fit or len(passages) != manifest["passages"]:
                raise damaged(folder, MANIFEST)
        return cls(passages, stems, postings, settings, highest)._at(folder)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to `folder`, replacing an index that is already there."""
        with writing_folder(folder, marker=MANIFEST) as scratch:
            with PassageWriter(scratch) as writer:
                writer.extend(self._passages)
            stems = {stem: number for number, stem in enumerate(self._stems)}
            _write_terms(scratch, stems, self._settings, len(self))
            write_postings(self.postings, scratch)
            _seal(scratch, self._settings, len(self))

    @property
    def stems(self) -> list[str]:
        """The terms, in the order of their numbers."""
        return list(self._stems)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return [self._hits(ranking) for ranking in self.rank(queries, k)]

    def rank(self, queries: Sequence[str], k: int) -> list[PlaceScores]:
        """The same as places in the corpus, with their scores."""
        return [self._rank(query, k) for query in queries]

    def _rank(self, query: str, k: int) -> PlaceScores:
        terms = [term for term in map(self._table.__getitem__, words(query)) if term != NO_TERM]
        try:
            places, scores = self._search.find_best(terms, k)
        except IndexError as error:  # passages that are not there: of a large index only the sizes are checked
            raise damaged(self._folder or "the index", INDICES) from error
        return list(zip(places, scores, strict=True))

    def __repr__(self) -> str:
        return f"BM25({len(self)} passages, {len(self._stems)} terms)"


def write_bm25(
    folder: Path, counts: TermCounts, settings: dict[str, Any], *, whole: CorpusCounts | None = None
) -> None:
    """Write an index but for its passages, which are there, into a folder, the manifest last.

    Args:
        folder: The folder with its passages.
        counts: Their terms.
        settings: The index's settings.
        whole: The counts of the corpus that these passages are a part of, with a frequency for each of their terms;
            they are all of it by default.
    """
    _write_terms(folder, counts.stems, settings, counts.passages)
    write_scored_terms(counts, folder, k1=settings["k1"], b=settings["b"], whole=whole)
    _seal(folder, settings, counts.passages)


def bm25_settings(k1: float, b: float, titles: bool, corpus: str) -> dict[str, Any]:
    """Everything that decides which passages an index finds."""
    return {"analyzer": DESCRIPTION, "k1": float(k1), "b": float(b), "titles": titles, "corpus": corpus}


def check_analyzer(folder: str | os.PathLike[str], described: Mapping[str, Any]) -> None:
    """Refuse an index in a folder whose terms are made by other rules."""
    if described.get("analyzer") != DESCRIPTION:
        raise MismatchError(f"{folder} splits text into terms by other rules; rebuild it with `multihop index`.")


def text_of_words(passage: Passage, titles: bool) -> str:
    """The text of a passage whose words are indexed."""
    return f"{passage.title} {passage.text}" if titles else passage.text


def _read(
    passages: Iterable[Passage],
    titles: bool,
    keep: Callable[[list[Passage]], None],
    counts: TermCounts,
    corpus: CorpusCheck,
    progress: Callable[[int], None] | None,
) -> None:
    """Go once through the corpus: check it, keep it, count its terms."""
    for block in corpus.blocks(passages, _BLOCK):
        keep(block)
        counts.add([text_of_words(passage, titles) for passage in block])
        if progress:
            progress(corpus.seen)


def _write_terms(folder: Path, stems: dict[str, int], settings: dict[str, Any], passages: int) -> None:
    """The terms and the settings: as we read them, and as bm25s does."""
    import bm25s
    import numpy as np

    index = bm25s.BM25(k1=settings["k1"], b=settings["b"], method="lucene")
    nothing = np.empty(0)  # the postings' files are written over these
    index.scores = {"data": nothing, "indices": nothing, "indptr": nothing, "num_docs": passages}
    index.vocab_dict = stems
    index.nonoccurrence_array = None
    index.save(folder)
    write_terms(folder, stems)


def _seal(folder: Path, settings: dict[str, Any], passages: int) -> None:
    import bm25s

    seal(folder, {"kind": BM25.kind, "format": FORMAT, "passages": passages, **settings, "bm25s": bm25s.__version__})


def _fit(postings: Postings, terms: int) -> bool:
    """True if the arrays fit together, and fit a vocabulary of this size."""
    data, indices, indptr = postings
    types = [array.dtype.name for array in postings] == ["float32", "int32", "int64"]
    sizes = len(indptr) == terms + 1 and len(data) == len(indices) == indptr[-1]
    return types and sizes and bool((indptr[1:] >= indptr[:-1]).all())
