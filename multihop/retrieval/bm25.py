"""BM25 search, exact, over one passage or five million, in memory or from a folder on disk."""

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base import InputError, MismatchError, writing_folder
from .corpus_check import CorpusCheck
from .id_table import IdTable
from .index_folder import MANIFEST, damaged, open_manifest, reading_index, seal
from .living.changes_file import Changes
from .living.corpus import CorpusPart, LivingCorpus
from .living.packed import text_array, text_of
from .living_index import LivingIndex, State
from .passage import Hit, Passage
from .passage_file import PassageFile, PassageWriter
from .retriever import check_search
from .words.analyzer import DESCRIPTION
from .words.bm25s_package import bm25s_package
from .words.joining import join_counts
from .words.part_search import PartSearch
from .words.postings import (
    INDICES,
    Occurrences,
    Postings,
    read_highest,
    read_occurrences,
    read_postings,
    score_terms,
    write_scored_terms,
)
from .words.ranking import PlaceScores
from .words.term_counts import TermCounts
from .words.term_file import TermFile, write_terms
from .words.word_part import WordPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 1
_BLOCK = 4096


class BM25(LivingIndex[PartSearch]):
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

    format = FORMAT

    def __init__(
        self,
        parts: Sequence[CorpusPart],
        settings: dict[str, Any],
        changes: Changes | None = None,
        manifest: dict[str, Any] | None = None,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._settings = settings
        self._start(State(LivingCorpus(parts), self._search_of(parts), changes or Changes(), manifest))

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
            return cls([replace(_in_memory(all_passages, counts, settings), fingerprint=settings["corpus"])], settings)
        with writing_folder(folder, marker=MANIFEST) as scratch, tempfile.TemporaryFile(dir=scratch) as waiting:
            counts, corpus = TermCounts(waiting), CorpusCheck()
            with PassageWriter(scratch) as writer:
                _read(passages, titles, writer.extend, counts, corpus, progress)
            corpus.refuse_duplicates(PassageFile(scratch))
            corpus.id_table().write(scratch)
            _write_bm25(scratch, counts, bm25_settings(k1, b, titles, corpus.fingerprint))
        return cls.load(folder)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to `folder`, replacing an index that is already there."""
        self._combine(self._state.corpus.parts, Path(folder), alone=True)

    @property
    def postings(self) -> Postings:
        """Each term's passages with its weights there, in an index that has not changed since it was built."""
        words: WordPart = self._state.corpus.parts[0].index
        return words.postings

    @property
    def length(self) -> int:
        """The number of terms in all passages, repetitions included."""
        return self._state.search.statistics.length

    @property
    def stems(self) -> list[str]:
        """The terms, in the order of their numbers."""
        return list(dict.fromkeys(stem for part in self._state.corpus.parts for stem in part.index.stems))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        state = self._state
        rankings = [self._rank(state, query, k) for query in queries]
        return [[Hit(state.corpus[place], score) for place, score in ranking] for ranking in rankings]

    def _rank(self, state: State[PartSearch], query: str, k: int) -> PlaceScores:
        try:
            return state.search.find_best(query, k)
        except IndexError as error:  # passages that are not there: of a large index only the sizes are checked
            raise damaged(self._folder or "the index", INDICES) from error

    @classmethod
    def _of(
        cls,
        folder: Path,
        parts: Sequence[CorpusPart],
        first: dict[str, Any],
        changes: Changes,
        manifest: dict[str, Any] | None,
    ) -> "BM25":
        return cls(parts, bm25_settings(*(first[name] for name in ("k1", "b", "titles", "corpus"))), changes, manifest)

    @classmethod
    def _read(cls, folder: Path, manifest: dict[str, Any]) -> CorpusPart:
        _check_analyzer(folder, manifest)
        with reading_index(folder):
            stems, postings, highest = TermFile(folder), read_postings(folder), read_highest(folder)
            occurrences, ids, passages = read_occurrences(folder), IdTable.read(folder), PassageFile(folder)
            fit = _fit(postings, occurrences, len(stems)) and len(highest) == len(stems)
            if not fit or len(passages) != manifest["passages"] or len(ids or passages) != len(passages):
                raise damaged(folder, MANIFEST)
            words = WordPart(stems, postings, occurrences, len(passages), highest)
            return CorpusPart(passages=passages, index=words, fingerprint=manifest["corpus"], table=ids)

    def _pack(self, part: CorpusPart) -> "dict[str, NDArray[Any]]":
        words: WordPart = part.index
        arrays = {**words.postings._asdict(), **words.occurrences._asdict()}
        return {**arrays, "stems": text_array("\n".join(words.stems))}

    @classmethod
    def _unpack(cls, passages: list[Passage], arrays: "dict[str, NDArray[Any]]") -> CorpusPart:
        stems = {stem: number for number, stem in enumerate(text_of(arrays["stems"]).split())}
        postings = Postings(*(arrays[name] for name in Postings._fields))
        occurrences = Occurrences(*(arrays[name] for name in Occurrences._fields))
        return CorpusPart(passages=passages, index=WordPart(stems, postings, occurrences, len(passages)))

    def _search_of(self, parts: Sequence[CorpusPart]) -> PartSearch:
        words, gone = [part.index for part in parts], [part.gone for part in parts]
        return PartSearch(words, gone, self._settings["k1"], self._settings["b"])

    def _make(self, passages: list[Passage]) -> CorpusPart:
        counts = TermCounts()
        for start in range(0, len(passages), _BLOCK):
            block = passages[start : start + _BLOCK]
            counts.add([text_of_words(passage, self._settings["titles"]) for passage in block])
        return _in_memory(passages, counts, self._settings)

    def _without(self, part: CorpusPart, places: list[int]) -> CorpusPart:
        texts = [text_of_words(part.passages[place], self._settings["titles"]) for place in places]
        return part.without(part.index.take_away(part.gone, places, texts))

    def _combine(self, parts: Sequence[CorpusPart], folder: Path | None, *, alone: bool) -> CorpusPart:
        counts = join_counts((part.index, part.gone) for part in parts)
        if folder is None:
            return _in_memory(list(LivingCorpus(parts)), counts, self._settings)
        with writing_folder(folder, marker=MANIFEST) as scratch:
            corpus = CorpusCheck()
            with PassageWriter(scratch) as writer:
                for block in corpus.blocks(LivingCorpus(parts), _BLOCK):
                    writer.extend(block)
            corpus.id_table().write(scratch)
            _write_bm25(scratch, counts, {**self._settings, "corpus": corpus.fingerprint})
        return self._read(folder, open_manifest(folder, self.kind, FORMAT))

    def __repr__(self) -> str:
        return f"BM25({len(self)} passages, {len(self.stems)} terms)"


def _write_bm25(folder: Path, counts: TermCounts, settings: dict[str, Any]) -> None:
    """Write an index of these counted terms into the folder that has its passages, the manifest last."""
    _write_terms(folder, counts.stems, settings, counts.passages)
    write_scored_terms(counts, folder, k1=settings["k1"], b=settings["b"])
    _seal(folder, settings, counts.passages)


def bm25_settings(k1: float, b: float, titles: bool, corpus: str) -> dict[str, Any]:
    """Everything that decides which passages an index finds."""
    return {"analyzer": DESCRIPTION, "k1": float(k1), "b": float(b), "titles": titles, "corpus": corpus}


def _check_analyzer(folder: str | os.PathLike[str], described: Mapping[str, Any]) -> None:
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
    import numpy as np

    index = bm25s_package().BM25(k1=settings["k1"], b=settings["b"], method="lucene")
    nothing = np.empty(0)  # the postings' files are written over these
    index.scores = {"data": nothing, "indices": nothing, "indptr": nothing, "num_docs": passages}
    index.vocab_dict = stems
    index.nonoccurrence_array = None
    index.save(folder)
    write_terms(folder, stems)


def _in_memory(passages: list[Passage], counts: TermCounts, settings: dict[str, Any]) -> CorpusPart:
    """The part of an index that these passages, counted, are."""
    postings, occurrences = score_terms(counts, k1=settings["k1"], b=settings["b"])
    return CorpusPart(passages=passages, index=WordPart(counts.stems, postings, occurrences, len(passages)))


def _seal(folder: Path, settings: dict[str, Any], passages: int) -> None:
    release = bm25s_package().__version__
    seal(folder, {"kind": BM25.kind, "format": FORMAT, "passages": passages, **settings, "bm25s": release})


def _fit(postings: Postings, occurrences: Occurrences | None, terms: int) -> bool:
    """True if the arrays fit together, and fit a vocabulary of this size."""
    if occurrences is not None and len(occurrences.counts) != len(postings.data):
        return False
    data, indices, indptr = postings
    types = [array.dtype.name for array in postings] == ["float32", "int32", "int64"]
    sizes = len(indptr) == terms + 1 and len(data) == len(indices) == indptr[-1]
    return types and sizes and bool((indptr[1:] >= indptr[:-1]).all())
