"""The number of times that each term is in each passage, counted as passages stream by, in memory or in a file."""

from collections.abc import Sequence
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from .analyzer import NO_TERM, TermTable, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Counts(NamedTuple):
    """The counted terms of some consecutive passages, sorted by term and then by passage."""

    terms: "NDArray[np.int32]"
    """The distinct terms."""
    runs: "NDArray[np.int32]"
    """The number of these passages that hold each term."""
    rows: "NDArray[np.unsignedinteger]"
    """The passage, for every pair of a term and a passage that holds it."""
    counts: "NDArray[np.unsignedinteger]"
    """The number of times that the term is in that passage."""


class TermStart(NamedTuple):
    """A place in `Counts` where a term begins."""

    term: int
    """Terms before it."""
    pair: int
    """Terms and passages that meet before it."""


class CountedBlock:
    """Counts of which parts are read: all four arrays are in memory or, given a file, in that."""

    def __init__(self, counts: Counts, file: IO[bytes] | None) -> None:
        """The counts, moved to the end of the file."""
        self._arrays: list[Any] = list(counts) if file is None else [_Filed(array, file) for array in counts]
        self._terms = len(counts.terms)

    def cut(self, bounds: Sequence[int]) -> list[TermStart]:
        """The places at which terms of these numbers begin, or would begin."""
        import numpy as np

        terms, runs = (array[: self._terms] for array in self._arrays[:2])
        places = np.searchsorted(terms, bounds)
        pairs = np.concatenate([[0], np.cumsum(runs)])[places]
        return [TermStart(*both) for both in zip(places.tolist(), pairs.tolist(), strict=True)]

    def read(self, start: TermStart, end: TermStart) -> Counts:
        """The counts of the terms between two cuts."""
        terms, runs, rows, counts = self._arrays
        by_term, by_pair = slice(start.term, end.term), slice(start.pair, end.pair)
        return Counts(terms[by_term], runs[by_term], rows[by_pair], counts[by_pair])


class _Filed:
    """An array at the end of a file, of which slices are read."""

    def __init__(self, array: "NDArray[Any]", file: IO[bytes]) -> None:
        self._file, self._type = file, array.dtype
        self._offset = file.seek(0, 2)
        file.write(array.tobytes())

    def __getitem__(self, part: slice) -> "NDArray[Any]":
        import numpy as np

        size = self._type.itemsize
        start = part.start or 0
        self._file.seek(self._offset + start * size)
        return np.frombuffer(self._file.read((part.stop - start) * size), self._type)


class TermCounts:
    """Counts the terms of passages as they stream by.

    Counting whole blocks in numpy, and keeping the counts in the narrowest integers that hold them, takes about half
    the time and a quarter of the memory of counting passage by passage.
    """

    def __init__(self, file: IO[bytes] | None = None) -> None:
        """Nothing yet; `file` is where counts wait, to be read back from there, if memory is not to hold them."""
        import numpy as np

        self.stems: dict[str, int] = {}
        self.blocks: list[CountedBlock] = []
        self.lengths: list[NDArray[np.int32]] = []
        """The number of terms in each passage of a block, repetitions included."""
        self.passages = 0
        self._file = file
        self._table = TermTable(self.stems, learn=True)
        self._frequency = np.zeros(1 << 10, np.int64)

    @property
    def frequency(self) -> "NDArray[np.int64]":
        """The number of passages that hold each term."""
        return self._frequency[: len(self.stems)]

    def add(self, texts: Sequence[str]) -> None:
        """Count the terms of the next passages: a few thousand at a time is best."""
        import numpy as np

        words_of_each = [words(text) for text in texts]
        sizes = np.fromiter(map(len, words_of_each), np.int64, len(words_of_each))
        flat = chain.from_iterable(words_of_each)
        terms = np.fromiter(map(self._table.__getitem__, flat), np.int32, int(sizes.sum()))
        rows = np.repeat(np.arange(len(texts)), sizes)
        known = terms != NO_TERM
        terms, rows = terms[known], rows[known]
        # One number for term and passage: sorting brings together what has to be counted.
        pairs = np.sort(terms.astype(np.int64) * len(texts) + rows)
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(first, append=len(pairs))
        pair_terms, pair_rows = np.divmod(pairs[first], max(len(texts), 1))
        starts = np.flatnonzero(np.diff(pair_terms, prepend=-1))
        counted = Counts(
            terms=pair_terms[starts].astype(np.int32),
            runs=np.diff(starts, append=len(pair_terms)).astype(np.int32),
            rows=pair_rows.astype(np.min_scalar_type(len(texts))),
            counts=counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        )
        self.blocks.append(CountedBlock(counted, self._file))
        self.lengths.append(np.bincount(rows, minlength=len(texts)).astype(np.int32))
        self.passages += len(texts)
        if len(self._frequency) < len(self.stems):
            grown = np.zeros(2 * len(self.stems), np.int64)
            grown[: len(self._frequency)] = self._frequency
            self._frequency = grown
        self._frequency[counted.terms] += counted.runs
