"""Arrays in files, left on disk and read from there as they are needed."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Result = TypeVar("Result")
_TIMES = 20


def read_array(path: Path) -> "NDArray[Any]":
    """The array in a file: a plain view of it, since slices of NumPy's own class for that cost four times as much."""
    import numpy as np

    return undisturbed(lambda: np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)))


def read_arrays(path: Path) -> "dict[str, NDArray[Any]]":
    """All arrays of an archive, by their names, in memory."""
    import numpy as np

    def read() -> "dict[str, NDArray[Any]]":
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return undisturbed(read)


def undisturbed(read: Callable[[], Result]) -> Result:
    """The result of a function that reads files of NumPy, asked again where another thread disturbed it.

    NumPy parses the head of a file as Python does its own, and where two threads do that at once, CPython 3.11 may fail
    one of them with a SystemError, though nothing is wrong.

    Examples:
        >>> from multihop.base.array_file import undisturbed
        >>> undisturbed(lambda: 1)
        1
    """
    for _ in range(_TIMES):
        try:
            return read()
        except SystemError:
            continue
    return read()
