"""Approximate nearest neighbours by FAISS: the vectors that are likely the nearest, from a graph or from lists."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...base import DamagedFileError, InputError, missing_extra, unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Approximation = Literal["hnsw", "ivf-pq"]
FILE = "candidates.faiss"
FEWEST = {"hnsw": 1, "ivf-pq": 10_000}
"""Vectors from which each can be made."""
_FOUND = {"hnsw": 100, "ivf-pq": 400}
"""Vectors that are compared with a query exactly, at least; more where less is known of them."""
_NEIGHBOURS = 32
_BLOCK = 1 << 16
_WRITTEN = 1 << 20
_ROUNDS = 10
"""The rounds in which parts of vectors are sorted into clusters, as many as FAISS itself uses for the lists."""
_FEWEST_A_LIST = 39
"""Vectors for each list, at least, from which FAISS learns without complaint."""
_LEARNT_FROM = 64
"""Vectors for each list, at most, from which the lists are learnt."""


class Candidates:
    """Finds places of vectors whose product with a query is likely among the highest.

    "hnsw" is a graph of neighbours over vectors in eight bits a number: fast, and nearly exact. "ivf-pq" keeps about an
    eighth of that, in lists of which some are looked through, and needs 10,000 vectors to learn from.
    """

    def __init__(self, index: Any, kind: Approximation) -> None:
        """FAISS's index; use `build` or `read` instead."""
        self._index, self.kind = index, kind

    @classmethod
    def build(cls, vectors: "NDArray[np.float16]", kind: Approximation) -> "Candidates":
        """An index of the vectors.

        Raises:
            InputError: The kind is unknown, or there are too few vectors for it.
            MissingExtraError: FAISS is not installed.
        """
        import numpy as np

        faiss = check_approximation(kind)
        count, width = vectors.shape
        if count < FEWEST[kind]:
            raise InputError(f"{kind} needs {FEWEST[kind]:,} passages or more, not {count:,}; take hnsw, or none.")
        # Learning the lists, and finding that of a vector, costs in proportion to their number, which millions notice.
        lists = max(1, min(round(2 * math.sqrt(count)), count // _FEWEST_A_LIST))
        index = faiss.index_factory(width, _layout(kind, lists, width), faiss.METRIC_INNER_PRODUCT)
        if kind == "ivf-pq":  # for a way of searching that is not used here, and takes seconds for every part
            faiss.downcast_index(index).do_polysemous_training = False
            faiss.downcast_index(index).pq.cp.niter = _ROUNDS
        learnt_from = np.random.default_rng(0).permutation(count)[: _LEARNT_FROM * lists]
        index.train(vectors[np.sort(learnt_from)].astype(np.float32))
        for start in range(0, count, _BLOCK):
            index.add(vectors[start : start + _BLOCK].astype(np.float32))
        return cls(index, kind)

    @classmethod
    def read(cls, folder: Path, kind: Approximation, count: int) -> "Candidates":
        """The index in a folder, left on disk as far as FAISS can.

        Raises:
            DamagedFileError: It cannot be read, or is of other vectors.
            MissingExtraError: FAISS is not installed.
        """
        faiss = check_approximation(kind)
        try:
            index = faiss.read_index(str(folder / FILE), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise DamagedFileError(f"{folder / FILE} cannot be read; rebuild it with `multihop index`.") from error
        if index.ntotal != count:
            raise DamagedFileError(f"{folder / FILE} is of other vectors; rebuild it with `multihop index`.")
        return cls(index, kind)

    def write(self, folder: Path) -> None:
        """Write the index to a file in `folder`."""
        import faiss

        # Not by FAISS's own writer, which goes on as if nothing were wrong where the disk is full at the very end.
        with (folder / FILE).open("wb") as file:
            faiss.write_index(self._index, faiss.PyCallbackIOWriter(file.write, _WRITTEN))

    def find(self, queries: "NDArray[np.float32]", k: int, vectors: int = 1) -> "NDArray[np.int64]":
        """For each query the places of enough vectors to hold the first `k` passages; -1 if there are no more.

        Args:
            queries: A vector for each query.
            k: The number of passages.
            vectors: The vectors that a passage has.
        """
        import faiss

        count = min(self._index.ntotal, max(4 * k, _FOUND[self.kind]) * vectors)
        index = faiss.downcast_index(self._index)
        if self.kind == "hnsw":
            options = faiss.SearchParametersHNSW(efSearch=max(2 * count, 128))
        else:
            options = faiss.SearchParametersIVF(nprobe=max(16, index.nlist // 16))
        _, places = self._index.search(queries, count, params=options)
        found: NDArray[np.int64] = places
        return found


def check_approximation(kind: str) -> Any:
    """FAISS, if the kind is known and FAISS is installed.

    Raises:
        InputError: The kind is unknown.
        MissingExtraError: FAISS is not installed.
    """
    if kind not in get_args(Approximation):
        raise unknown("approximation", kind, get_args(Approximation))
    try:
        import faiss
    except ImportError as error:
        raise missing_extra("an approximate index", "faiss", error) from error
    return faiss


def _layout(kind: Approximation, lists: int, width: int) -> str:
    """The index as FAISS writes it: numbers of eight numbers each become one byte, where the width allows it."""
    if kind == "hnsw":
        return f"HNSW{_NEIGHBOURS},SQ8"
    parts = next(parts for parts in range(max(1, width // 8), 0, -1) if width % parts == 0)
    return f"IVF{lists},PQ{parts}x8"
