"""The inverted index of BM25: text as terms, terms counted as passages stream by, and a score for each."""

import math
import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, pairwise
from pathlib import Path
from threading import Lock
from typing import IO, Any, NamedTuple

from ..base.imports import NDArray, np
from .index_folder import damaged, read_column

DESCRIPTION = "english: lower case, words of 2+ letters, 33 stop words, Snowball stems"
"""Kept in every index, so that an index made by other rules is refused instead of searched wrongly."""

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""bm25s's English stop words, which are Lucene's."""

NO_TERM = -1
"""The number for a stop word, or for a word that is not in the index."""

_WORD = re.compile(r"\w\w+")
_REMEMBERED = 1 << 18


def words(text: str) -> list[str]:
    """The words of a text, in order, before stop words go and stems are taken."""
    return _WORD.findall(text.lower())


class TermTable(dict[str, int]):
    """Word to term number, filled as words are met; stemming a word once makes looking it up again cheap."""

    def __init__(self, number: Callable[[str], int]) -> None:
        """`number` gives the number of a stem."""
        from Stemmer import Stemmer

        super().__init__(dict.fromkeys(STOP_WORDS, NO_TERM))
        self._number = number
        self._stemmer = Stemmer("english", 0)
        self._lock = Lock()

    def __reduce__(self) -> Any:  # a stemmer cannot be pickled
        return TermTable, (self._number,)

    def __missing__(self, word: str) -> int:
        # A stemmer must not be used by two threads at once.
        with self._lock:
            if len(self) >= _REMEMBERED:  # queries may bring new words for ever
                self.clear()
                self.update(dict.fromkeys(STOP_WORDS, NO_TERM))
            term = self[word] = self._number(self._stemmer.stemWord(word))
        return term


class Counts(NamedTuple):
    """The counted terms of some consecutive passages, sorted by term and then by passage."""

    terms: "NDArray[np.int32]"
    """The distinct terms."""
    starts: "NDArray[np.int64]"
    """The place of each term's first pair, and after them the number of pairs."""
    rows: "NDArray[np.unsignedinteger]"
    """The passage, for every pair of a term and a passage that holds it."""
    counts: "NDArray[np.unsignedinteger]"
    """The number of times that the term is in that passage."""


class TermCounts:
    """Counts the terms of passages as they stream by, whole blocks in numpy, in the narrowest integers there are."""

    def __init__(self, file: IO[bytes] | None = None) -> None:
        """`file` is where counts wait, to be read back from there, if memory is not to hold them."""
        self.stems: dict[str, int] = {}
        """The number of every stem, in the order in which they were met."""
        self.lengths: list[NDArray[np.int32]] = []
        """The number of terms in each passage of a block, repetitions included."""
        self.passages = 0
        self._blocks: list[Counts] = []
        self._file = file
        self._filed: list[list[tuple[int, Any, int]]] = []
        """Of each array of each block in the file: where it begins, its type, and its bytes."""
        self._table = TermTable(lambda stem: self.stems.setdefault(stem, len(self.stems)))
        self._frequency = np.zeros(1 << 10, np.int64)

    @property
    def frequency(self) -> "NDArray[np.int64]":
        """The number of passages that hold each term."""
        return self._frequency[: len(self.stems)]

    @property
    def blocks(self) -> list[Counts]:
        """The counts of each block; those in the file are read from there as they are needed."""
        if self._file is None:
            return self._blocks
        self._file.flush()
        kept = np.asarray(np.memmap(self._file, "u1", "r"))
        return [
            Counts(*(kept[start : start + size].view(type_) for start, type_, size in block)) for block in self._filed
        ]

    def add(self, texts: Sequence[str]) -> None:
        """Count the terms of the next passages: a few thousand at a time is best."""
        words_of_each = [words(text) for text in texts]
        sizes = np.fromiter(map(len, words_of_each), np.int64, len(words_of_each))
        flat = chain.from_iterable(words_of_each)
        terms = np.fromiter(map(self._table.__getitem__, flat), np.int32, int(sizes.sum()))
        rows = np.repeat(np.arange(len(texts)), sizes)
        known = terms != NO_TERM
        terms, rows = terms[known], rows[known]
        # One number for term and passage: sorting brings together what has to be counted.
        pairs = np.sort(terms.astype(np.int64) * len(texts) + rows)
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(first, append=len(pairs))
        pair_terms, pair_rows = np.divmod(pairs[first], max(len(texts), 1))
        starts = np.flatnonzero(np.diff(pair_terms, prepend=-1))
        counted = Counts(
            terms=pair_terms[starts].astype(np.int32),
            starts=np.append(starts, len(pair_terms)),
            rows=pair_rows.astype(np.min_scalar_type(len(texts))),
            counts=counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        )
        if self._file is None:
            self._blocks.append(counted)
        else:
            self._filed.append([(self._file.tell(), each.dtype, self._file.write(each.tobytes())) for each in counted])
        self.lengths.append(np.bincount(rows, minlength=len(texts)).astype(np.int32))
        self.passages += len(texts)
        if len(self._frequency) < len(self.stems):
            grown = np.zeros(2 * len(self.stems), np.int64)
            grown[: len(self._frequency)] = self._frequency
            self._frequency = grown
        self._frequency[counted.terms] += np.diff(counted.starts)


DATA, INDICES, INDPTR, HIGHEST = "scores", "scored.passages", "scored.ends", "scores.highest"
_AT_ONCE = 1 << 24
"""Scores that are in memory at once while they are written to disk."""


class Postings(NamedTuple):
    """A sparse matrix of scores, one column a term."""

    data: "NDArray[np.float32]"
    """The scores, term after term."""
    indices: "NDArray[np.int32]"
    """The passage each score belongs to, ascending within a term."""
    indptr: "NDArray[np.int64]"
    """The place at which each term begins; one entry more than there are terms."""
    highest: "NDArray[np.float32]"
    """The highest score of each term."""

    def column(self, term: int) -> "tuple[NDArray[np.float32], NDArray[np.int32]]":
        """A term's scores, and the passages they belong to."""
        start, end = self.indptr[term : term + 2].tolist()
        return self.data[start:end], self.indices[start:end]


def score_terms(counts: TermCounts, *, k1: float, b: float) -> Postings:
    """The index of counted passages, in memory."""
    indptr = _columns(counts)
    parts = zip(*_score(counts, indptr, k1, b), strict=True)
    data, indices, highest = (np.concatenate(each) for each in parts)
    return Postings(data, indices, indptr, highest)


def write_scored_terms(counts: TermCounts, folder: Path, *, k1: float, b: float) -> None:
    """Write the index of counted passages to disk column by column, so that memory holds a few of them."""
    indptr = _columns(counts)
    with ExitStack() as opened:
        files = [opened.enter_context((folder / name).open("wb")) for name in (DATA, INDICES, HIGHEST)]
        for arrays in _score(counts, indptr, k1, b):
            for file, array in zip(files, arrays, strict=True):
                file.write(array.data)
    indptr.tofile(folder / INDPTR)


def read_postings(folder: Path, terms: int) -> Postings:
    """The index of so many terms in a folder, left on disk."""
    names = {DATA: "<f4", INDICES: "<i4", INDPTR: "<i8", HIGHEST: "<f4"}
    postings = Postings(*(read_column(folder, name, dtype) for name, dtype in names.items()))
    data, indices, indptr, highest = postings
    fit = len(indptr) == terms + 1 and len(highest) == terms and len(data) == len(indices) == indptr[-1]
    if not (fit and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all() and np.isfinite(highest).all()):
        raise damaged(folder, INDPTR)
    return postings


def release_pages(postings: Postings) -> None:
    """Release the memory of mapped files; what is read again comes from the system's own cache of them."""
    for array in postings:
        held: Any = array
        while isinstance(held, np.ndarray):
            held = held.base  # a view of a view of the mapped file
        if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            held.madvise(mmap.MADV_DONTNEED)


def _columns(counts: TermCounts) -> "NDArray[np.int64]":
    """The place at which each term begins."""
    indptr = np.zeros(len(counts.stems) + 1, np.int64)
    np.cumsum(counts.frequency, out=indptr[1:])
    return indptr


def _score(
    counts: TermCounts, indptr: "NDArray[np.int64]", k1: float, b: float
) -> "Iterator[tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]]":
    """The scores, their passages, and the highest of each term, as many terms at a time as fit in memory."""
    length = sum(int(lengths.sum()) for lengths in counts.lengths)
    mean = length / max(counts.passages, 1) or 1.0  # where all passages are empty, which must not divide by 0
    # Doubles until the very end, so that scores are rounded once.
    damping = [k1 * ((1 - b) + b * lengths / mean) for lengths in counts.lengths]
    weights, blocks = _weigh(counts.frequency, counts.passages), counts.blocks
    for first, last in pairwise(_bounds(indptr)):
        begins = indptr[first : last + 1] - indptr[first]
        data, indices = np.empty(int(begins[-1]), np.float32), np.empty(int(begins[-1]), np.int32)
        heads, passed = begins[:-1].copy(), 0
        for block, damped in zip(blocks, damping, strict=True):
            low, high = np.searchsorted(block.terms, (first, last)).tolist()
            terms, starts = block.terms[low:high] - first, block.starts[low : high + 1]
            rows, times = (array[starts[0] : starts[-1]] for array in block[2:])
            runs = np.diff(starts)
            places = np.repeat(heads[terms] - (starts[:-1] - starts[0]), runs) + np.arange(len(rows))
            heads[terms] += runs
            data[places] = np.repeat(weights[terms + first], runs) * (times / (damped[rows] + times))
            indices[places] = rows.astype(np.int32) + passed
            passed += len(damped)
        highest = np.maximum.reduceat(data, begins[:-1]) if len(data) else np.zeros(0, np.float32)
        yield data, indices, highest


def _bounds(indptr: "NDArray[np.int64]") -> list[int]:
    """The first term of every part that is scored at once, and the number of terms."""
    terms = len(indptr) - 1
    steps = np.arange(_AT_ONCE, indptr[-1], _AT_ONCE)
    return [0, *sorted({*np.searchsorted(indptr[:-1], steps).tolist()} - {0, terms}), terms]


def _weigh(frequency: "NDArray[np.int64]", passages: int) -> "NDArray[np.float32]":
    """The rarity of each term, as Lucene weighs it."""
    # math.log, not numpy's: the two differ in the last bit, and few frequencies are distinct anyway.
    distinct, which = np.unique(frequency, return_inverse=True)
    rarities = [math.log(1 + (passages - count + 0.5) / (count + 0.5)) for count in distinct.tolist()]
    return np.array(rarities, np.float32)[which]
