"""The inverted index: for every term the passages that hold it, each with its BM25 score."""

import math
import mmap
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..index_folder import damaged, read_column
from .term_counts import TermCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    """The index of counted passages."""
    import numpy as np

    indptr = _columns(counts)
    parts = zip(*_score(counts, indptr, k1, b), strict=True)
    data, indices, highest = (np.concatenate(each) for each in parts)
    return Postings(data, indices, indptr, highest)


def write_scored_terms(counts: TermCounts, folder: Path, *, k1: float, b: float) -> None:
    """The same, written to disk column by column, so that memory holds a few of them."""
    indptr = _columns(counts)
    with ExitStack() as opened:
        files = [opened.enter_context((folder / name).open("wb")) for name in (DATA, INDICES, HIGHEST)]
        for arrays in _score(counts, indptr, k1, b):
            for file, array in zip(files, arrays, strict=True):
                file.write(array.data)
    indptr.tofile(folder / INDPTR)


def read_postings(folder: Path, terms: int) -> Postings:
    """The index of so many terms in a folder, left on disk.

    Raises:
        DamagedFileError: The arrays do not fit together.
    """
    names = {DATA: "<f4", INDICES: "<i4", INDPTR: "<i8", HIGHEST: "<f4"}
    postings = Postings(*(read_column(folder, name, dtype) for name, dtype in names.items()))
    data, indices, indptr, highest = postings
    fit = len(indptr) == terms + 1 and len(highest) == terms and len(data) == len(indices) == indptr[-1]
    if not (fit and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()):
        raise damaged(folder, INDPTR)
    return postings


def release_pages(postings: Postings) -> None:
    """Release the memory of mapped files; what is read again comes from the system's own cache of them."""
    import numpy as np

    for array in postings:
        held: Any = array
        while isinstance(held, np.ndarray):
            held = held.base  # a view of a view of the mapped file
        if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            held.madvise(mmap.MADV_DONTNEED)


def _columns(counts: TermCounts) -> "NDArray[np.int64]":
    """The place at which each term begins."""
    import numpy as np

    indptr = np.zeros(len(counts.stems) + 1, np.int64)
    np.cumsum(counts.frequency, out=indptr[1:])
    return indptr


def _score(
    counts: TermCounts, indptr: "NDArray[np.int64]", k1: float, b: float
) -> "Iterator[tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]]":
    """The scores, their passages, and the highest of each term, as many terms at a time as fit in memory."""
    import numpy as np

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
        yield data, indices, _highest(data, begins)


def _highest(data: "NDArray[np.float32]", begins: "NDArray[np.int64]") -> "NDArray[np.float32]":
    """The highest score of every term, each of which some passage holds."""
    import numpy as np

    return np.maximum.reduceat(data, begins[:-1]) if len(data) else np.zeros(0, np.float32)


def _bounds(indptr: "NDArray[np.int64]") -> list[int]:
    """The first term of every part that is scored at once, and the number of terms."""
    import numpy as np

    terms = len(indptr) - 1
    steps = np.arange(_AT_ONCE, indptr[-1], _AT_ONCE)
    return [0, *sorted({*np.searchsorted(indptr[:-1], steps).tolist()} - {0, terms}), terms]


def _weigh(frequency: "NDArray[np.int64]", passages: int) -> "NDArray[np.float32]":
    """The rarity of each term, as Lucene weighs it."""
    import numpy as np

    # math.log, not numpy's: the two differ in the last bit, and few frequencies are distinct anyway.
    distinct, which = np.unique(frequency, return_inverse=True)
    rarities = [math.log(1 + (passages - count + 0.5) / (count + 0.5)) for count in distinct.tolist()]
    return np.array(rarities, np.float32)[which]
