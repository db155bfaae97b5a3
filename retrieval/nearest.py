"""The vectors nearest to a query, exactly, and with the same scores however they are divided up."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .ranking import PlaceScores, best

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COMPARED = 1 << 16
"""Vectors that are compared with the queries at once."""
_SMALL = 1 << 24
"""Numbers of all vectors together that are kept in single precision: 64 MiB, of 43,000 passages."""
_FEW = 4
"""Queries up to which this thread alone compares: to wake the threads of BLAS takes longer, and they keep the cores
from others for a while when they are done."""
_ROUNDING = 2.0**-22
"""How far two products of vectors may come to lie apart by single precision, for each of the vectors' numbers: 2 times
2**-24, and as much again to be on the safe side."""


class Blocks:
    """Vectors in single precision, so many at a time; those of a small corpus stay so once they were asked for."""

    def __init__(self, stored: "NDArray[np.float16]") -> None:
        self._stored = stored
        self._longest: dict[int, float] = {}
        self._kept: NDArray[np.float32] | None = None

    def __iter__(self) -> Iterator[tuple[int, "NDArray[np.float32]", float]]:
        """For each block the place of its first vector, the vectors, and the longest one's length."""
        import numpy as np

        for start in range(0, len(self._stored), _COMPARED):
            block = self._kept if self._kept is not None else self._stored[start : start + _COMPARED].astype(np.float32)
            if len(self._stored) <= _COMPARED and self._stored.size <= _SMALL:
                self._kept = block
            if start not in self._longest:
                self._longest[start] = math.sqrt(np.einsum("ij,ij->i", block, block).max())
            yield start, block, self._longest[start]


def nearest(blocks: Blocks, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
    """The `k` highest products with each query, best first; of equals the earlier comes first.

    One product of matrices finds who can be among the first. Its last bits depend on how many vectors it compares at
    once, so these few are multiplied again, one by one and in double precision: a vector's score is the same alone, in
    any batch, and in any part of a corpus.

    Args:
        blocks: The vectors.
        queries: A vector for each query.
        k: How many of them for each query.

    Examples:
        >>> import numpy
        >>> from multihop.retrieval.nearest import Blocks, nearest
        >>> stored = numpy.array([[1, 0], [0, 1], [1, 1]], numpy.float16)
        >>> nearest(Blocks(stored), numpy.array([[1, 0.5]], numpy.float32), k=2)
        [[(2, 1.5), (0, 1.0)]]
    """
    import numpy as np

    rankings: list[PlaceScores] = [[] for _ in queries]
    lengths = np.linalg.norm(queries, axis=1)
    for start, block, longest in blocks:
        roughly = queries @ block.T if len(queries) > _FEW else np.einsum("qd,nd->qn", queries, block)
        for number, row in enumerate(roughly):
            slack = _ROUNDING * (block.shape[1] + 2) * longest * float(lengths[number])
            found = _contenders(row, k, slack)
            scores = products(block[found], queries[number]).tolist()
            ranking = rankings[number] + list(zip((found + start).tolist(), scores, strict=True))
            rankings[number] = sorted(ranking, key=_order)[:k]
    return rankings


def nearest_among(
    stored: "NDArray[np.float16]", places: "NDArray[np.int64]", query: "NDArray[np.float32]", k: int
) -> PlaceScores:
    """The same for one query and some of the vectors."""
    scores = products(stored[places], query).tolist()
    return sorted(zip(places.tolist(), scores, strict=True), key=_order)[:k]


def products(
    vectors: "NDArray[np.float16] | NDArray[np.float32]", query: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Each vector's product with the query, which no other vector has a part in."""
    import numpy as np

    exact = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    rounded: NDArray[np.float32] = exact.astype(np.float32)
    return rounded


def _contenders(roughly: "NDArray[np.float32]", k: int, slack: float) -> "NDArray[np.int64]":
    """Where every vector is that may be among the first `k` once it is looked at exactly."""
    import numpy as np

    if len(roughly) <= k:
        return np.arange(len(roughly))
    _, values = best(roughly, k, above=-math.inf)
    return np.flatnonzero(~(roughly < values[-1] - slack)) if len(values) == k else np.arange(len(roughly))


def _order(placed: tuple[int, float]) -> tuple[float, int]:
    place, score = placed
    return -score, place
