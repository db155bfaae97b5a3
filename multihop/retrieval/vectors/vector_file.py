"""Vectors written to disk as they are made, as one array that NumPy opens."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...base.files import read_array
from ..index_folder import damaged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTORS, FIRSTS = "vectors.npy", "firsts.npy"
_HEADER = 128
"""The length in bytes of the header that NumPy writes for an array of two axes of any size."""


class Vectors(NamedTuple):
    """The vectors of passages, those of each one after the other; each passage has one or more."""

    rows: "NDArray[np.float16]"
    firsts: "NDArray[np.int64]"
    """The first row of each passage, and after them the number of rows."""

    def __len__(self) -> int:  # type: ignore[override]
        """The number of passages."""
        return len(self.firsts) - 1

    def at(self, place: int) -> "NDArray[np.float16]":
        """The vectors of the passage at a place."""
        start, end = self.firsts[place : place + 2].tolist()
        return self.rows[start:end]

    @classmethod
    def of(cls, passages: "Sequence[NDArray[np.float32]]") -> "Vectors":
        """The vectors of passages in memory, in half precision."""
        import numpy as np

        return cls(np.concatenate(passages).astype(np.float16), _firsts([len(each) for each in passages]))


class VectorWriter:
    """Writes vectors in half precision, block by block, with one block in memory; `open_vectors` reads them back."""

    def __init__(self, folder: Path) -> None:
        """New files in `folder`."""
        self._folder = folder
        self._file = (folder / VECTORS).open("wb")
        self._file.write(bytes(_HEADER))
        self._counts: list[int] = []
        self._width = 0

    def __enter__(self) -> "VectorWriter":
        return self

    def __exit__(self, *_: object) -> None:
        import numpy as np

        header = io.BytesIO()
        firsts = _firsts(self._counts)
        shape = (int(firsts[-1]), self._width)
        np.lib.format.write_array_header_1_0(header, {"descr": "<f2", "fortran_order": False, "shape": shape})
        assert len(header.getvalue()) == _HEADER
        with self._file:
            self._file.seek(0)
            self._file.write(header.getvalue())
        np.save(self._folder / FIRSTS, firsts)

    def extend(self, passages: "Sequence[NDArray[np.float32]]") -> None:
        """Append the vectors of passages, all of one width."""
        import numpy as np

        rows = np.concatenate(passages)
        self._width = rows.shape[1]
        self._counts += [len(each) for each in passages]
        self._file.write(rows.astype("<f2").tobytes())


def open_vectors(folder: Path) -> Vectors:
    """The vectors in a folder, left on disk and read from there as they are needed.

    Raises:
        DamagedFileError: They are not as they were written.
    """
    import numpy as np

    rows, firsts = read_array(folder / VECTORS), np.array(read_array(folder / FIRSTS))
    if rows.dtype != np.float16 or rows.ndim != 2:
        raise damaged(folder, VECTORS)
    whole = firsts.dtype == np.int64 and firsts.ndim == 1 and len(firsts) > 1
    if not whole or firsts[0] != 0 or firsts[-1] != len(rows) or not (np.diff(firsts) > 0).all():
        raise damaged(folder, FIRSTS)
    return Vectors(rows, firsts)


def _firsts(counts: Sequence[int]) -> "NDArray[np.int64]":
    import numpy as np

    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(counts, np.int64))])
