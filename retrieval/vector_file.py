"""Vectors written to disk as they are made, as one array that NumPy opens."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTORS = "vectors.npy"
_HEADER = 128
"""Bytes; as long as NumPy makes the header of an array of two axes, whatever its size."""


class VectorWriter:
    """Writes vectors in half precision, block by block, so that memory holds one block; `open_vectors` reads them back.

    Examples:
        >>> import numpy, pathlib, tempfile
        >>> from multihop.retrieval.vector_file import VectorWriter, open_vectors
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> with VectorWriter(folder) as writer:
        ...     writer.extend(numpy.ones((2, 3)))
        ...     writer.extend(numpy.zeros((1, 3)))
        >>> open_vectors(folder).shape
        (3, 3)
    """

    def __init__(self, folder: Path) -> None:
        """A new file in `folder`."""
        self._file = (folder / VECTORS).open("wb")
        self._file.write(bytes(_HEADER))
        self._count = self._width = 0

    def __enter__(self) -> "VectorWriter":
        return self

    def __exit__(self, *_: object) -> None:
        import numpy as np

        header = io.BytesIO()
        shape = (self._count, self._width)
        np.lib.format.write_array_header_1_0(header, {"descr": "<f2", "fortran_order": False, "shape": shape})
        assert len(header.getvalue()) == _HEADER
        with self._file:
            self._file.seek(0)
            self._file.write(header.getvalue())

    def extend(self, vectors: "NDArray[np.float32]") -> None:
        """Append vectors, all of one width."""
        self._width = vectors.shape[1]
        self._count += len(vectors)
        self._file.write(vectors.astype("<f2").tobytes())


def open_vectors(folder: Path) -> "NDArray[np.float16]":
    """The vectors in a folder, left on disk and read from there as they are needed."""
    import numpy as np

    return np.asarray(np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False))
