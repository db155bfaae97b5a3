"""The search for the nearest vectors in the parts of a corpus, without the passages that were removed."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..candidates import Candidates
from ..living.gone import Gone
from ..words.ranking import PlaceScores
from .nearest import Blocks, best_first, nearest, nearest_among
from .vector_file import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CANDIDATES = {"hnsw": 100, "ivf-pq": 400}
"""Vectors that are compared with a query at least, where not with all; more where less is known of them."""
_AT_ONCE = 1024


class VectorPart:
    """The vectors of one part of a corpus, and what finds likely ones among them where not all are compared."""

    def __init__(self, vectors: Vectors, candidates: Candidates | None = None) -> None:
        self.vectors, self.candidates = vectors, candidates
        self.blocks = Blocks(vectors)

    def __len__(self) -> int:
        """The number of passages, those that were removed included."""
        return len(self.vectors)

    def rank(self, queries: "NDArray[np.float32]", k: int, gone: "NDArray[np.int32]") -> list[PlaceScores]:
        """The `k` nearest of the passages that are left, for each query."""
        import numpy as np

        missing = None
        if len(gone):
            missing = np.zeros(len(self), np.bool_)
            missing[gone] = True
        if self.candidates is None:
            return nearest(self.blocks, queries, k, missing)
        rows, firsts = self.vectors
        count = max(4 * k, _CANDIDATES[self.candidates.kind]) * math.ceil(len(rows) / len(self))
        likely = self.candidates.find(queries, min(len(rows), count + int(np.diff(firsts)[gone].sum())))
        owners = [np.unique(np.searchsorted(firsts, found[found >= 0], "right") - 1) for found in likely]
        if missing is not None:
            owners = [places[~missing[places]] for places in owners]
        return [nearest_among(self.vectors, places, query, k) for query, places in zip(queries, owners, strict=True)]


class VectorSearch:
    """Ranks the passages of all parts; places are counted through all of them."""

    def __init__(self, parts: Sequence[VectorPart], gone: Sequence[Gone]) -> None:
        """The parts, and what was removed from each."""
        self._parts, self._gone = parts, gone

    def find_best(self, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
        """For each query's vector the `k` nearest passages, equal ones in the order of the corpus."""
        rankings: list[PlaceScores] = [[] for _ in queries]
        start = 0
        for part, gone in zip(self._parts, self._gone, strict=True):
            for number, found in enumerate(part.rank(queries, k, gone.places)):
                rankings[number] += [(place + start, score) for place, score in found]
            start += len(part)
        return [best_first(ranking, k) for ranking in rankings]


def join_vectors(parts: Iterable[tuple[VectorPart, Gone]]) -> "Iterator[list[NDArray[Any]]]":
    """The vectors of the passages that are left of several parts, some passages at a time."""
    import numpy as np

    for part, gone in parts:
        rows, firsts = part.vectors
        left = np.setdiff1d(np.arange(len(part)), gone.places, assume_unique=True)
        for begin in range(0, len(left), _AT_ONCE):
            places = left[begin : begin + _AT_ONCE]
            bounds = zip(firsts[places].tolist(), firsts[places + 1].tolist(), strict=True)
            yield [rows[first:end] for first, end in bounds]
