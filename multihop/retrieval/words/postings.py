"""The inverted index: for every term the passages that hold it, each with its BM25 score."""

import math
import mmap
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.files import read_array
from .term_counts import TermCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# bm25s's own names: `bm25s.BM25.load` opens the folder too.
DATA, INDICES, INDPTR = "data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy"
_HIGHEST, _COUNTS, _LENGTHS = "highest.npy", "counts.npy", "lengths.npy"
_AT_ONCE = 1 << 24
"""Scores that are in memory at once while they are written to disk."""


class Postings(NamedTuple):
    """bm25s's own three arrays, bit for bit: a sparse matrix of scores, one column a term."""

    data: "NDArray[np.float32]"
    """The scores, term after term."""
    indices: "NDArray[np.int32]"
    """The passage each score belongs to, ascending within a term."""
    indptr: "NDArray[np.int64]"
    """The place at which each term begins; one entry more than there are terms."""


class Occurrences(NamedTuple):
    """The counts behind the scores, from which they are made again when the corpus changes."""

    counts: "NDArray[np.unsignedinteger]"
    """The number of times that the term is in the passage, for each score."""
    lengths: "NDArray[np.int32]"
    """The number of terms in each passage, repetitions included."""


class Scored(NamedTuple):
    """Some terms' scores, with what they are made of."""

    scores: "NDArray[np.float32]"
    places: "NDArray[np.int32]"
    counts: "NDArray[np.unsignedinteger]"


def score_terms(counts: TermCounts, *, k1: float, b: float) -> tuple[Postings, Occurrences]:
    """The index of counted passages."""
    import numpy as np

    indptr = _columns(counts)
    data, indices = np.empty(indptr[-1], np.float32), np.empty(indptr[-1], np.int32)
    times = np.empty(indptr[-1], counts.narrowest)
    start = 0
    for part in _score(counts, indptr, k1, b):
        here = slice(start, start + len(part.scores))
        data[here], indices[here], times[here] = part
        start = here.stop
    return Postings(data, indices, indptr), Occurrences(times, counts.all_lengths())


def write_scored_terms(counts: TermCounts, folder: Path, *, k1: float, b: float) -> None:
    """The same, written to disk column by column, so that memory holds a few of them.

    Args:
        counts: The terms of the passages.
        folder: The folder for the index.
        k1: The effect of repeating a term.
        b: The effect of a passage's length.
    """
    import numpy as np

    indptr = _columns(counts)
    _write(folder, indptr, _score(counts, indptr, k1, b), counts.narrowest)
    np.save(folder / _LENGTHS, counts.all_lengths(), allow_pickle=False)


def write_postings(postings: Postings, occurrences: Occurrences, folder: Path) -> None:
    """Write a finished index to disk."""
    import numpy as np

    times, lengths = occurrences
    _write(folder, postings.indptr, [Scored(postings.data, postings.indices, times)], times.dtype)
    np.save(folder / _LENGTHS, lengths, allow_pickle=False)


def read_postings(folder: Path) -> Postings:
    """The index in a folder, left on disk and read from there as it is needed."""
    return Postings(*(read_array(folder / name) for name in (DATA, INDICES, INDPTR)))


def read_highest(folder: Path) -> "NDArray[np.float32]":
    """The highest score of every term, as it was written with the index."""
    return read_array(folder / _HIGHEST)


def read_occurrences(folder: Path) -> Occurrences | None:
    """The counts behind the scores in a folder; None if it was written before they were kept."""
    files = [folder / _COUNTS, folder / _LENGTHS]
    if not files[1].is_file():
        return None
    return Occurrences(*map(read_array, files))


def highest_scores(data: "NDArray[np.float32]", indptr: "NDArray[np.int64]") -> "NDArray[np.float32]":
    """The highest score of every term, 0 for one that no passage holds."""
    import numpy as np

    highest = np.zeros(len(indptr) - 1, np.float32)
    starts = indptr[:-1]
    held = indptr[1:] > starts
    if held.any():
        highest[held] = np.maximum.reduceat(data, starts[held] - indptr[0])
    return highest


def release_pages(postings: Postings) -> None:
    """Release the memory of mapped files; what is read again comes from the system's own cache of them."""
    import numpy as np

    for array in postings:
        held: Any = array
        while isinstance(held, np.ndarray):
            held = held.base  # a view of a view of the mapped file
        if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            held.madvise(mmap.MADV_DONTNEED)


def rarity(count: int, passages: int) -> float:
    """The rarity of a term that `count` of the passages hold, as Lucene weighs it; no score for the term is higher."""
    return math.log(1 + (passages - count + 0.5) / (count + 0.5))


def mean_length(length: int, passages: int) -> float:
    """The mean length of a corpus: the number of its terms, repetitions included, and that of its passages."""
    # If all passages are empty there is nothing to score, and the mean must not be 0, since it divides.
    return length / max(passages, 1) or 1.0


def damp(lengths: "NDArray[np.int32]", mean: float, k1: float, b: float) -> "NDArray[np.floating[Any]]":
    """The number of times a term must be in a passage of each length to get half of its weight."""
    # Doubles until the very end, in bm25s's order of operations: the scores come out equal to the last bit.
    return k1 * ((1 - b) + b * lengths / mean)


def _columns(counts: TermCounts) -> "NDArray[np.int64]":
    """The place at which each term begins."""
    import numpy as np

    indptr = np.zeros(len(counts.stems) + 1, np.int64)
    np.cumsum(counts.frequency, out=indptr[1:])
    return indptr


def _score(counts: TermCounts, indptr: "NDArray[np.int64]", k1: float, b: float) -> Iterator[Scored]:
    """The scores and their passages, as many terms at a time as fit in memory."""
    import numpy as np

    mean = mean_length(sum(int(lengths.sum()) for lengths in counts.lengths), counts.passages)
    weights = _weigh(counts.frequency, counts.passages)
    bounds = _bounds(indptr)
    cuts = [block.cut(bounds) for block in counts.blocks]
    for part, (first, last) in enumerate(pairwise(bounds)):
        data = np.empty(int(indptr[last] - indptr[first]), np.float32)
        indices, times = np.empty(len(data), np.int32), np.empty(len(data), counts.narrowest)
        heads = indptr[first:last] - indptr[first]
        start = 0
        for block, cut, lengths in zip(counts.blocks, cuts, counts.lengths, strict=True):
            held = block.read(cut[part], cut[part + 1])
            terms = held.terms - first
            begins = np.cumsum(held.runs) - held.runs
            places = np.repeat(heads[terms] - begins, held.runs) + np.arange(len(held.rows))
            heads[terms] += held.runs
            saturation = held.counts / (damp(lengths, mean, k1, b)[held.rows] + held.counts)
            data[places] = np.repeat(weights[held.terms], held.runs) * saturation
            indices[places] = held.rows.astype(np.int32) + start
            times[places] = held.counts
            start += len(lengths)
        yield Scored(data, indices, times)


def _bounds(indptr: "NDArray[np.int64]") -> list[int]:
    """The first term of every part that is scored at once, and the number of terms."""
    import numpy as np

    terms = len(indptr) - 1
    steps = np.arange(_AT_ONCE, indptr[-1], _AT_ONCE)
    return sorted({0, *np.searchsorted(indptr[:-1], steps).tolist(), terms})


def _weigh(frequency: "NDArray[np.int64]", passages: int) -> "NDArray[np.float32]":
    """The rarity of each term."""
    import numpy as np

    # math.log, not numpy's: the two differ in the last bit, and few frequencies are distinct anyway.
    distinct, which = np.unique(frequency, return_inverse=True)
    return np.array([rarity(count, passages) for count in distinct.tolist()], np.float32)[which]


def _write(
    folder: Path,
    indptr: "NDArray[np.int64]",
    parts: Iterable[Scored],
    narrowest: "np.dtype[Any]",
) -> None:
    """NumPy's own files, filled part by part, each of which holds whole terms."""
    import numpy as np

    terms, scored = len(indptr) - 1, int(indptr[-1])
    headers = {DATA: ("<f4", scored), INDICES: ("<i4", scored), _HIGHEST: ("<f4", terms)}
    headers[_COUNTS] = (narrowest.str, scored)
    with ExitStack() as opened:
        files = {name: opened.enter_context((folder / name).open("wb")) for name in headers}
        for name, (descr, size) in headers.items():
            header = {"descr": descr, "fortran_order": False, "shape": (size,)}
            np.lib.format.write_array_header_1_0(files[name], header)
        first = 0
        for scores, places, times in parts:
            last = int(np.searchsorted(indptr, indptr[first] + len(scores), side="right")) - 1
            files[DATA].write(scores.data)
            files[INDICES].write(places.data)
            files[_COUNTS].write(times.data)
            files[_HIGHEST].write(highest_scores(scores, indptr[first : last + 1]).data)
            first = last
    np.save(folder / INDPTR, indptr, allow_pickle=False)
