"""Passages on disk, one JSON object a line, read one at a time without loading the rest."""

import mmap
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

import ujson

from ..base import DamagedFileError
from ..base.files import read_array
from .index_folder import damaged
from .passage import Passage

LINES = "passages.jsonl"
OFFSETS = "passages.offsets.npy"


class PassageFile:
    """The passages of an index folder, by position.

    The operating system keeps in memory the pages that are read and drops them when memory is short, so that opening
    five million passages takes neither time nor memory.
    """

    def __init__(self, folder: Path) -> None:
        """The passages that a `PassageWriter` left in `folder`."""
        import numpy as np

        self._path = folder / LINES
        self._offsets = read_array(folder / OFFSETS)
        with self._path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if (
            self._offsets.dtype != np.int64
            or self._offsets.ndim != 1
            or not len(self._offsets)
            or self._offsets[-1] != len(self._bytes)
        ):
            raise damaged(folder, OFFSETS)
        # Questions about one thing find the same passages again and again.
        self._recent = lru_cache(maxsize=1 << 14)(self._read)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> Passage:
        return self._recent(position)

    def _read(self, position: int) -> Passage:
        start, end = self._offsets[position : position + 2].tolist()
        try:
            entry = ujson.loads(self._bytes[start:end])
            return Passage(entry["id"], entry["title"], entry["text"])
        except (ValueError, KeyError, TypeError) as error:
            message = f"{self._path}, line {position + 1}: damaged; rebuild the index with `multihop index`."
            raise DamagedFileError(message) from error

    def __iter__(self) -> Iterator[Passage]:
        return map(self._read, range(len(self)))


class PassageWriter:
    """Writes passages as they come; `PassageFile` reads them back once the block has ended."""

    def __init__(self, folder: Path) -> None:
        """Two new files in `folder`."""
        self._folder = folder
        self._ends = array("q", [0])
        self._file: IO[bytes] = (folder / LINES).open("wb")

    def __enter__(self) -> "PassageWriter":
        return self

    def __exit__(self, *_: object) -> None:
        import numpy as np

        self._file.close()
        np.save(self._folder / OFFSETS, np.frombuffer(self._ends, np.int64), allow_pickle=False)

    def extend(self, passages: Iterable[Passage]) -> None:
        """Append passages."""
        end = self._ends[-1]
        for id_, title, text in passages:
            entry = {"id": id_, "title": title, "text": text}
            line = ujson.dumps(entry, ensure_ascii=False, escape_forward_slashes=False) + "\n"
            # Half a surrogate pair is not UTF-8, yet JSON files do contain such text, and it must come back unchanged.
            end += self._file.write(line.encode("utf-8", "surrogatepass"))
            self._ends.append(end)
