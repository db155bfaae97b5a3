"""BM25's weights as sparse vectors, one a passage, which a search engine multiplies with a query's terms."""

from collections.abc import Iterator

from ..words.postings import Postings

NOWHERE = 0
"""A place that every passage has and no term: a vector without any would be refused."""
_AT_ONCE = 1 << 18


def term_place(term: int) -> int:
    """The place in the vectors of the term of that number."""
    return term + 1


def sparse_vectors(postings: Postings, passages: int, first: int = 0) -> Iterator[dict[int, float]]:
    """The vectors of the passages from the first one asked for, in the order of the corpus."""
    import numpy as np

    data, indices, indptr = postings
    for start in range(first, passages, _AT_ONCE):
        end = min(start + _AT_ONCE, passages)
        held = np.flatnonzero((indices >= start) & (indices < end))
        held = held[np.argsort(indices[held], kind="stable")]
        terms = np.searchsorted(indptr, held, side="right") - 1
        bounds = np.searchsorted(indices[held], np.arange(start, end + 1))
        for begin, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            places = [term_place(term) for term in terms[begin:stop].tolist()]
            yield {NOWHERE: 1.0, **dict(zip(places, data[held[begin:stop]].tolist(), strict=True))}
