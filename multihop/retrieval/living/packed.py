"""A small part of an index in one file: to write fourteen takes a disk ten times as long."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ujson

from ...base import writing
from ...base.files import read_arrays
from ..index_folder import damaged
from ..passage import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKED = ".npz"
"""The end of the name of a part in one file."""
_PASSAGES = "passages"


def write_packed(file: Path, passages: Sequence[Passage], arrays: "Mapping[str, NDArray[Any]]") -> None:
    """Write passages, and what an index made of them, to one file, which is on the disk then."""
    import numpy as np

    with writing(file, "wb") as handle:
        named: dict[str, Any] = {_PASSAGES: text_array(ujson.dumps(passages, ensure_ascii=False)), **arrays}
        np.savez(handle, **named)


def read_packed(file: Path) -> "tuple[list[Passage], dict[str, NDArray[Any]]]":
    """The passages in a file and what an index made of them, in memory.

    Raises:
        DamagedFileError: It is not as it was written.
    """
    try:
        arrays = read_arrays(file)
        return [Passage(*each) for each in ujson.loads(arrays.pop(_PASSAGES).tobytes())], arrays
    except Exception as error:  # numpy and its archives fail in many ways
        raise damaged(file.parent, file.name) from error


def text_array(text: str) -> "NDArray[Any]":
    """A text as an array of bytes; `text_of` gives it back."""
    import numpy as np

    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def text_of(array: "NDArray[Any]") -> str:
    """The text in an array of bytes."""
    return array.tobytes().decode("utf-8", "surrogatepass")
