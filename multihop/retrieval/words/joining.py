"""The counts of several parts of a corpus as those of one, without the passages that were removed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..living.gone import Gone
from .term_counts import Counts, TermCounts
from .word_part import WordPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def join_counts(parts: Iterable[tuple[WordPart, Gone]]) -> TermCounts:
    """The counts of the passages that are left, as if they had been counted anew; no text is read for it."""
    import numpy as np

    joined = TermCounts()
    for part, gone in parts:
        counts, lengths = part.occurrences
        numbers = np.array([joined.stems.setdefault(stem, len(joined.stems)) for stem in part.stems], np.int32)
        indices, indptr = part.postings.indices, part.postings.indptr
        if len(gone.places):
            kept = np.ones(len(part), np.bool_)
            kept[gone.places] = False
            held = kept[indices]
            before = np.concatenate([[0], np.cumsum(held)])
            indices, counts, indptr = (
                (np.cumsum(kept) - 1)[indices[held]].astype(np.int32),
                counts[held],
                before[indptr],
            )
            lengths = lengths[kept]
        joined.take(_in_order(numbers, indices, counts, indptr), lengths)
    return joined


def _in_order(
    numbers: "NDArray[np.int32]",
    indices: "NDArray[np.int32]",
    counts: "NDArray[np.unsignedinteger]",
    indptr: "NDArray[np.int64]",
) -> Counts:
    """A part's columns in the order of the numbers that their terms have in the whole."""
    import numpy as np

    runs = np.diff(indptr)
    order = np.argsort(numbers, kind="stable")
    order = order[runs[order] > 0]
    ordered = runs[order]
    if (np.diff(order) < 0).any():
        begins = np.cumsum(ordered) - ordered
        own = np.repeat(indptr[:-1][order] - begins, ordered) + np.arange(ordered.sum())
        indices, counts = indices[own], counts[own]
    return Counts(numbers[order], ordered.astype(np.int32), indices.view(np.uint32), counts)
