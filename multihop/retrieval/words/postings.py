"""The inverted index: for every term the passages that hold it, each with its BM25 score."""

import math
import mmap
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.files import read_array
from ..index_folder import damaged
from .term_counts import TermCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# bm25s's own names: `bm25s.BM25.load` opens the folder too.
DATA, INDICES, INDPTR = "data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy"
_HIGHEST = "highest.npy"
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


def score_terms(counts: TermCounts, *, k1: float, b: float) -> Postings:
    """The index of counted passages."""
    import numpy as np

    indptr = _columns(counts)
    data, indices = np.empty(indptr[-1], np.float32), np.empty(indptr[-1], np.int32)
    start = 0
    for scores, places in _score(counts, indptr, k1, b):
        here = slice(start, start + len(scores))
        data[here], indices[here] = scores, places
        start = here.stop
    return Postings(data, indices, indptr)


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
    terms, scored = len(indptr) - 1, int(indptr[-1])
    headers = {DATA: ("<f4", scored), INDICES: ("<i4", scored), _HIGHEST: ("<f4", terms)}
    with ExitStack() as opened:
        files = {name: opened.enter_context((folder / name).open("wb")) for name in headers}
        for name, (descr, size) in headers.items():
            header = {"descr": descr, "fortran_order": False, "shape": (size,)}
            np.lib.format.write_array_header_1_0(files[name], header)
        first = 0
        for scores, places in _score(counts, indptr, k1, b):
            last = int(np.searchsorted(indptr, indptr[first] + len(scores), side="right")) - 1
            files[DATA].write(scores.data)
            files[INDICES].write(places.data)
            files[_HIGHEST].write(highest_scores(scores, indptr[first : last + 1]).data)
            first = last
    np.save(folder / INDPTR, indptr, allow_pickle=False)


def read_postings(folder: Path, terms: int) -> "tuple[Postings, NDArray[np.float32]]":
    """The index of so many terms in a folder, left on disk, and the highest score of each term.

    Raises:
        DamagedFileError: The arrays do not fit together.
    """
    postings, highest = (
        Postings(*(read_array(folder / name) for name in (DATA, INDICES, INDPTR))),
        read_array(folder / _HIGHEST),
    )
    data, indices, indptr = postings
    types = [array.dtype.name for array in (*postings, highest)] == ["float32", "int32", "int64", "float32"]
    flat = all(array.ndim == 1 for array in (*postings, highest))
    if not (types and flat and len(indptr) == terms + 1 and len(highest) == terms):
        raise damaged(folder, INDPTR)
    if not (len(data) == len(indices) == indptr[-1] and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()):
        raise damaged(folder, INDPTR)
    return postings, highest


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


def _columns(counts: TermCounts) -> "NDArray[np.int64]":
    """The place at which each term begins."""
    import numpy as np

    indptr = np.zeros(len(counts.stems) + 1, np.int64)
    np.cumsum(counts.frequency, out=indptr[1:])
    return indptr


def _score(
    counts: TermCounts, indptr: "NDArray[np.int64]", k1: float, b: float
) -> "Iterator[tuple[NDArray[np.float32], NDArray[np.int32]]]":
    """The scores and their passages, as many terms at a time as fit in memory."""
    import numpy as np

    length = sum(int(lengths.sum()) for lengths in counts.lengths)
    mean = length / max(counts.passages, 1) or 1.0  # where all passages are empty, which must not divide by 0
    weights = _weigh(counts.frequency, counts.passages)
    bounds = _bounds(indptr)
    cuts = [block.cut(bounds) for block in counts.blocks]
    for part, (first, last) in enumerate(pairwise(bounds)):
        data = np.empty(int(indptr[last] - indptr[first]), np.float32)
        indices = np.empty(len(data), np.int32)
        heads = indptr[first:last] - indptr[first]
        start = 0
        for block, cut, lengths in zip(counts.blocks, cuts, counts.lengths, strict=True):
            held = block.read(cut[part], cut[part + 1])
            terms = held.terms - first
            begins = np.cumsum(held.runs) - held.runs
            places = np.repeat(heads[terms] - begins, held.runs) + np.arange(len(held.rows))
            heads[terms] += held.runs
            # Doubles until the very end, in bm25s's order of operations: the scores come out equal to the last bit.
            damping = k1 * ((1 - b) + b * lengths / mean)
            data[places] = np.repeat(weights[held.terms], held.runs) * (
                held.counts / (damping[held.rows] + held.counts)
            )
            indices[places] = held.rows.astype(np.int32) + start
            start += len(lengths)
        yield data, indices


def _bounds(indptr: "NDArray[np.int64]") -> list[int]:
    """The first term of every part that is scored at once, and the number of terms."""
    import numpy as np

    terms = len(indptr) - 1
    steps = np.arange(_AT_ONCE, indptr[-1], _AT_ONCE)
    return sorted({0, *np.searchsorted(indptr[:-1], steps).tolist(), terms})


def _weigh(frequency: "NDArray[np.int64]", passages: int) -> "NDArray[np.float32]":
    """The rarity of each term, as Lucene weighs it."""
    import numpy as np

    # math.log, not numpy's: the two differ in the last bit, and few frequencies are distinct anyway.
    distinct, which = np.unique(frequency, return_inverse=True)
    rarities = [math.log(1 + (passages - count + 0.5) / (count + 0.5)) for count in distinct.tolist()]
    return np.array(rarities, np.float32)[which]


def write_for_bm25s(folder: Path, stems: Mapping[str, int], passages: int, *, k1: float, b: float) -> str:
    """Write the terms and the settings as bm25s does, so that it opens the folder too; returns its version.

    Where JAX is installed bm25s tries it as it is imported, and JAX takes three quarters of a GPU's memory with its
    first array. So bm25s is imported as where it is not installed.
    """
    import numpy as np

    hidden = "bm25s" not in sys.modules and "jax" not in sys.modules
    if hidden:
        sys.modules["jax"] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import bm25s
    finally:
        if hidden:
            del sys.modules["jax"]
    index = bm25s.BM25(k1=k1, b=b, method="lucene")
    nothing = np.empty(0)  # the postings' files are written over these
    index.scores = {"data": nothing, "indices": nothing, "indptr": nothing, "num_docs": passages}
    index.vocab_dict = stems
    index.nonoccurrence_array = None
    index.save(folder)
    return str(bm25s.__version__)
