"""The passages whose vectors are nearest to a query, exactly, and with the same scores however they are divided up."""

import math
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from ..words.ranking import PlaceScores, best
from .candidates import Candidates
from .vector_file import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COMPARED = 1 << 16
"""Vectors that are compared with the queries at once."""
_SMALL = 1 << 24
"""Numbers of all vectors together that are kept in single precision: 64 MiB, of some 11,000 passages."""
_LARGEST = 1 << 31
"""Bytes of vectors that FAISS may hold in memory for its scan; more are read from the disk at each search."""
_FEW = 4
"""Queries up to which this thread alone compares: to wake the threads of BLAS takes longer, and they keep the cores
from others for a while when they are done."""
_ROUNDING = 2.0**-22
"""The largest error that single precision makes in comparing two products of vectors, for each of the vectors' numbers:
2 times 2**-24, and as much again to be on the safe side."""


class Block(NamedTuple):
    """Some passages' vectors in single precision."""

    place: int
    """The place of the first passage."""
    rows: "NDArray[np.float32]"
    firsts: "NDArray[np.int64]"
    """The first row of each passage, and after them the number of rows."""
    longest: float
    """The length of the longest."""


class Blocks:
    """Vectors in single precision, block by block; those of a small corpus stay in memory after the first time."""

    def __init__(self, stored: Vectors) -> None:
        self._stored = stored
        self._longest: dict[int, float] = {}
        self._kept: NDArray[np.float32] | None = None

    def __iter__(self) -> Iterator[Block]:
        """The blocks, each of whole passages."""
        import numpy as np

        rows, firsts = self._stored
        place = 0
        while place < len(self._stored):
            begin = int(firsts[place])
            after = int(np.searchsorted(firsts, begin + _COMPARED, "right")) - 1
            after = min(max(after, place + 1), len(self._stored))
            block = self._kept if self._kept is not None else rows[begin : firsts[after]].astype(np.float32)
            if len(block) == len(rows) and rows.size <= _SMALL:
                self._kept = block
            if place not in self._longest:
                self._longest[place] = math.sqrt(np.einsum("ij,ij->i", block, block).max())
            yield Block(place, block, firsts[place : after + 1] - begin, self._longest[place])
            place = after


def nearest(blocks: Blocks, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
    """The `k` passages nearest to each query, best first: by their vectors' highest product; of equals the earlier one.

    One product of matrices finds who can be among the first. Its last bits depend on how many vectors it compares at
    once, so these few are multiplied again, one by one and in double precision: a passage's score is the same alone and
    in any batch.
    """
    import numpy as np

    rankings: list[PlaceScores] = [[] for _ in queries]
    lengths = np.linalg.norm(queries, axis=1)
    for place, block, firsts, longest in blocks:
        roughly = queries @ block.T if len(queries) > _FEW else np.einsum("qd,nd->qn", queries, block)
        if len(firsts) <= len(block):
            roughly = np.maximum.reduceat(roughly, firsts[:-1], axis=1)
        for number, row in enumerate(roughly):
            found = _contenders(row, k, _slack(block.shape[1], longest, float(lengths[number])))
            scores = _highest(block, firsts, found, queries[number]).tolist()
            ranking = rankings[number] + list(zip((found + place).tolist(), scores, strict=True))
            rankings[number] = best_first(ranking, k)
    return rankings


def nearest_among(stored: Vectors, places: "NDArray[np.int64]", query: "NDArray[np.float32]", k: int) -> PlaceScores:
    """The same for one query and some of the passages."""
    scores = _highest(stored.rows, stored.firsts, places, query).tolist()
    return best_first(zip(places.tolist(), scores, strict=True), k)


def _highest(
    rows: "NDArray[np.float16] | NDArray[np.float32]",
    firsts: "NDArray[np.int64]",
    places: "NDArray[np.int64]",
    query: "NDArray[np.float32]",
) -> "NDArray[np.float32]":
    """For each of the passages at some places the highest product of its vectors with the query."""
    import numpy as np

    if not len(places):
        return np.zeros(0, np.float32)
    counts = firsts[places + 1] - firsts[places]
    starts = np.cumsum(counts) - counts
    own = np.repeat(firsts[places] - starts, counts) + np.arange(counts.sum())
    highest: NDArray[np.float32] = np.maximum.reduceat(products(rows[own], query), starts)
    return highest


def products(
    vectors: "NDArray[np.float16] | NDArray[np.float32]", query: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Each vector's product with the query, which no other vector has a part in."""
    import numpy as np

    exact = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    rounded: NDArray[np.float32] = exact.astype(np.float32)
    return rounded


def _slack(width: int, longest: float, query: float) -> float:
    """The most by which two rough products, of a query of this length, can be out of order."""
    return _ROUNDING * (width + 2) * longest * query


def _contenders(roughly: "NDArray[np.float32]", k: int, slack: float) -> "NDArray[np.int64]":
    """The places of all vectors that may be among the first `k` when they are compared exactly."""
    import numpy as np

    if len(roughly) <= k:
        return np.arange(len(roughly))
    _, values = best(roughly, k, above=-math.inf)
    return np.flatnonzero(~(roughly < values[-1] - slack)) if len(values) == k else np.arange(len(roughly))


class FlatScan:
    """FAISS's scan of all vectors in half precision, which it holds in memory: ten times as fast as NumPy's.

    It finds who can be among the first; these few are compared exactly, as `nearest` does.
    """

    def __init__(self, stored: Vectors) -> None:
        import faiss

        rows, _ = self._stored = stored
        self._index = faiss.IndexScalarQuantizer(
            rows.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        faiss.copy_array_to_vector(rows.view("u1").reshape(-1), self._index.codes)
        self._index.ntotal = len(rows)
        self._longest = max((block.longest for block in Blocks(stored)), default=0.0)

    @classmethod
    def fits(cls, stored: Vectors) -> bool:
        """True if there are so many vectors that it is worth it, no more than memory takes, and FAISS is installed."""
        return stored.rows.size > _SMALL and stored.rows.nbytes <= _LARGEST and find_spec("faiss") is not None

    def nearest(self, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
        """The `k` passages nearest to each query, exactly as the function of that name finds them."""
        import numpy as np

        rows = self._stored.rows
        count = min(len(rows), 4 * k * math.ceil(len(rows) / len(self._stored)))
        roughly, found = self._index.search(queries, count)
        lengths = np.linalg.norm(queries, axis=1)
        rankings = []
        for number, query in enumerate(queries):
            slack = _slack(rows.shape[1], self._longest, float(lengths[number]))
            likely = self._likely(query, k, slack, roughly[number], found[number])
            rankings.append(nearest_among(self._stored, likely, query, k))
        return rankings

    def _likely(
        self, query: "NDArray[np.float32]", k: int, slack: float, roughly: Any, found: "NDArray[np.int64]"
    ) -> "NDArray[np.int64]":
        """The places of all passages that may be among the first, given the best vectors and their rough products."""
        import numpy as np

        rows, firsts = self._stored
        while len(found) < len(rows) and (found >= 0).all():
            owners = np.searchsorted(firsts, found, "right") - 1
            _, best_of_each = np.unique(owners, return_index=True)
            if len(best_of_each) >= k:
                floor = roughly[np.sort(best_of_each)[k - 1]] - slack
                if roughly[-1] < floor:  # none of the others reaches it
                    return np.unique(owners[roughly >= floor])
            (roughly,), (found,) = self._index.search(query[None], min(len(rows), 4 * len(found)))
        return np.arange(len(self._stored))


class VectorSearch:
    """Finds the nearest passages: all vectors are compared, or those of likely candidates."""

    def __init__(self, vectors: Vectors, candidates: Candidates | None = None) -> None:
        self.vectors, self.candidates = vectors, candidates
        self._blocks = Blocks(vectors)
        self._scan: FlatScan | None = None

    def find_best(self, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
        """For each query's vector the `k` nearest passages, equal ones in the order of the corpus."""
        import numpy as np

        if self.candidates is None:
            if self._scan is None and FlatScan.fits(self.vectors):
                self._scan = FlatScan(self.vectors)
            return nearest(self._blocks, queries, k) if self._scan is None else self._scan.nearest(queries, k)
        rows, firsts = self.vectors
        likely = self.candidates.find(queries, k, math.ceil(len(rows) / len(self.vectors)))
        owners = [np.unique(np.searchsorted(firsts, found[found >= 0], "right") - 1) for found in likely]
        return [nearest_among(self.vectors, places, query, k) for query, places in zip(queries, owners, strict=True)]

    def __reduce__(self) -> Any:
        return VectorSearch, (self.vectors, self.candidates)


def best_first(ranking: Iterable[tuple[int, float]], k: int) -> PlaceScores:
    """The first `k` by their scores; of equals the earlier one."""
    return sorted(ranking, key=_order)[:k]


def _order(placed: tuple[int, float]) -> tuple[float, int]:
    place, score = placed
    return -score, place
