"""The terms of an index on disk, looked up one at a time without loading the rest."""

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from ...base.files import read_array
from ..index_folder import damaged

TERMS = "terms.txt"
_ENDS, _NUMBERS = "terms.ends.npy", "terms.numbers.npy"
_SMALL = 1 << 20
"""Bytes of terms that may be kept in memory: some 100,000 terms."""


class TermFile(Mapping[str, int]):
    """The number of every term, as the dictionary that was written.

    The terms are kept in alphabetical order and found by halving, so that opening millions of them takes neither time
    nor memory.
    """

    def __init__(self, folder: Path) -> None:
        """The terms that `write_terms` left in `folder`."""
        import numpy as np

        self._folder = folder
        self._ends, self._numbers = read_array(folder / _ENDS), read_array(folder / _NUMBERS)
        with (folder / TERMS).open("rb") as file:
            # An empty file cannot be mapped.
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.seek(0, 2) else b""
        types = self._ends.dtype == np.int64 and self._numbers.dtype == np.int32
        if not types or len(self._ends) != len(self._numbers) + 1 or self._ends[-1] != len(self._bytes):
            raise damaged(folder, _ENDS)
        self._sorted = _Sorted(self)

    def __getitem__(self, term: str) -> int:
        if self._known is not None:
            return self._known[term]
        wanted = term.encode("utf-8", "surrogatepass")
        place = bisect_left(self._sorted, wanted)
        if place == len(self) or self.term_at(place) != wanted:
            raise KeyError(term)
        number = int(self._numbers[place])
        if not 0 <= number < len(self):
            raise damaged(self._folder, _NUMBERS)
        return number

    @cached_property
    def _known(self) -> dict[str, int] | None:
        """The terms of a small file in memory, where they are found ten times as fast."""
        if len(self._bytes) > _SMALL:
            return None
        ends = self._ends.tolist()
        try:
            terms = [bytes(self._bytes[start:end]).decode("utf-8", "surrogatepass") for start, end in pairwise(ends)]
        except UnicodeDecodeError:
            raise damaged(self._folder, TERMS) from None
        numbers = self._numbers.tolist()
        if not all(0 <= number < len(self) for number in numbers):
            raise damaged(self._folder, _NUMBERS)
        return dict(zip(terms, numbers, strict=True))

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        """The terms in the order of their numbers."""
        import numpy as np

        for place in np.argsort(self._numbers, kind="stable").tolist():
            yield self.term_at(place).decode("utf-8", "surrogatepass")

    def term_at(self, place: int) -> bytes:
        """The term at that place of the alphabetical order, in UTF-8."""
        start, end = self._ends[place : place + 2].tolist()
        return self._bytes[start:end]


class _Sorted:
    """The terms in alphabetical order, as `bisect` reads them."""

    def __init__(self, terms: TermFile) -> None:
        self._terms = terms

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, place: int) -> bytes:
        return self._terms.term_at(place)


def write_terms(folder: Path, numbers: Mapping[str, int]) -> None:
    """Write the terms, which are in the order of their numbers, to three files in `folder`."""
    import numpy as np

    ends = np.zeros(len(numbers) + 1, np.int64)
    with (folder / TERMS).open("wb") as file:
        terms = sorted(numbers)  # by code points, which is the order of their UTF-8 too
        for place, term in enumerate(terms, 1):
            ends[place] = ends[place - 1] + file.write(term.encode("utf-8", "surrogatepass"))
    np.save(folder / _ENDS, ends, allow_pickle=False)
    ordered = np.fromiter(map(numbers.__getitem__, terms), np.int32, len(terms))
    np.save(folder / _NUMBERS, ordered, allow_pickle=False)
