"""BM25 search, exact, over one passage or five million, in memory or from a folder on disk."""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import ujson

from ..base import InputError, MismatchError, writing_folder
from .analyzer import DESCRIPTION, NO_TERM, TermTable, words
from .corpus_check import CorpusCheck, Passages
from .corpus_index import CorpusIndex
from .index_folder import MANIFEST, damaged, index_fingerprint, open_manifest, reading_index, seal
from .passage import Hit, Passage
from .passage_file import PassageFile, PassageWriter
from .postings import Postings, PostingsBuilder
from .ranking import accumulate
from .retriever import check_search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = "bm25"
FORMAT = 1
_BLOCK = 4096
# bm25s's own names: `bm25s.BM25.load` opens the folder too.
_ARRAYS = ("data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy")
_VOCABULARY = "vocab.index.json"


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

    _made_anew = ("_table", "_spare_scores")

    def __init__(
        self,
        passages: Passages,
        stems: dict[str, int],
        postings: Postings,
        *,
        k1: float,
        b: float,
        titles: bool,
        corpus: str,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages = passages
        self._stems = stems
        self._postings = postings
        self._settings: dict[str, Any] = {"analyzer": DESCRIPTION, "k1": k1, "b": b, "titles": titles, "corpus": corpus}
        self._make_anew()

    def _make_anew(self) -> None:
        self._table = TermTable(self._stems, learn=False)  # a stemmer cannot be pickled
        self._spare_scores: list[NDArray[np.float32]] = []

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
            k1: How much repeating a term adds: 0 nothing, large values ever more.
            b: How much long passages are held back: 0 not at all, 1 in proportion to their length.
            titles: Whether a passage is found by the words of its title as well as by those of its text.
            folder: Where the index goes; an index that is already there is replaced.
            progress: Called with the number of passages read, every few thousand.

        Raises:
            InputError: The corpus is empty, has an id twice or something that is no passage, or `k1` or `b` is out
                of range.
        """
        if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1):
            raise InputError(f"BM25 needs k1 of at least 0 and b between 0 and 1, not k1={k1} and b={b}.")
        settings: dict[str, Any] = {"k1": float(k1), "b": float(b), "titles": titles}
        if folder is None:
            all_passages: list[Passage] = []
            builder, corpus = _read(passages, titles, all_passages.extend, progress)
            corpus.refuse_duplicates(all_passages)
            return cls(all_passages, builder.stems, builder.score(k1, b), **settings, corpus=corpus.fingerprint)
        with writing_folder(folder, marker=MANIFEST) as scratch:
            with PassageWriter(scratch) as writer:
                builder, corpus = _read(passages, titles, writer.extend, progress)
            stored = PassageFile(scratch)
            corpus.refuse_duplicates(stored)
            cls(stored, builder.stems, builder.score(k1, b), **settings, corpus=corpus.fingerprint)._write(scratch)
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or of another version.
        """
        import numpy as np

        folder = os.path.expanduser(folder)
        manifest = open_manifest(folder, KIND, FORMAT)
        if manifest.get("analyzer") != DESCRIPTION:
            raise MismatchError(f"{folder} splits text into terms by other rules; rebuild it with `multihop index`.")
        home = Path(folder)
        with reading_index(folder):
            stems = ujson.loads((home / _VOCABULARY).read_bytes())
            # A plain view of the mapped file: slices of numpy's own memmap class cost four times as much.
            arrays = [np.asarray(np.load(home / name, mmap_mode="r", allow_pickle=False)) for name in _ARRAYS]
            postings = Postings(*arrays)
            passages = PassageFile(home)
            settings = {name: manifest[name] for name in ("k1", "b", "titles", "corpus")}
            if not _fit(postings, len(stems)) or len(passages) != manifest["passages"]:
                raise damaged(folder, MANIFEST)
        return cls(passages, stems, postings, **settings)._at(folder)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to `folder`, replacing an index that is already there."""
        with writing_folder(folder, marker=MANIFEST) as scratch:
            with PassageWriter(scratch) as writer:
                writer.extend(self._passages)
            self._write(scratch)

    @property
    def fingerprint(self) -> str:
        """Stands for the corpus and the settings: equal where every search gives the same answer."""
        return index_fingerprint(KIND, self._settings)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        import numpy as np

        check_search(queries, k)
        # Kept from search to search: fresh memory would cost a page fault every thousand passages.
        try:
            scores = self._spare_scores.pop()
        except IndexError:  # as many as there are threads searching
            scores = np.empty(len(self), np.float32)
        rankings = [self._rank(query, k, scores) for query in queries]
        self._spare_scores.append(scores)
        return rankings

    def _rank(self, query: str, k: int, scores: "NDArray[np.float32]") -> list[Hit]:
        terms = [term for term in map(self._table.__getitem__, words(query)) if term != NO_TERM]
        if not terms:
            return []
        accumulate(self._postings, terms, scores)
        return self._hits(scores, k, above=0.0)

    def __repr__(self) -> str:
        return f"BM25({len(self)} passages, {len(self._stems)} terms)"

    def _write(self, folder: Path) -> None:
        """Everything but the passages, the manifest last."""
        import bm25s

        index = bm25s.BM25(k1=self._settings["k1"], b=self._settings["b"], method="lucene")
        index.scores = {**self._postings._asdict(), "num_docs": len(self)}
        index.vocab_dict = self._stems
        index.nonoccurrence_array = None
        index.save(folder)
        seal(
            folder,
            {"kind": KIND, "format": FORMAT, "passages": len(self), **self._settings, "bm25s": bm25s.__version__},
        )


def _read(
    passages: Iterable[Passage],
    titles: bool,
    keep: Callable[[list[Passage]], None],
    progress: Callable[[int], None] | None,
) -> tuple[PostingsBuilder, CorpusCheck]:
    """Go once through the corpus: check it, keep it, count its terms."""
    builder, corpus = PostingsBuilder(), CorpusCheck()
    for block in corpus.blocks(passages, _BLOCK):
        keep(block)
        builder.add([f"{title} {text}" if titles else text for _, title, text in block])
        if progress:
            progress(corpus.seen)
    return builder, corpus


def _fit(postings: Postings, terms: int) -> bool:
    """Whether the arrays belong together and to a vocabulary of so many terms."""
    data, indices, indptr = postings
    types = [array.dtype.name for array in postings] == ["float32", "int32", "int64"]
    sizes = len(indptr) == terms + 1 and len(data) == len(indices) == indptr[-1]
    return types and sizes and bool((indptr[1:] >= indptr[:-1]).all())
