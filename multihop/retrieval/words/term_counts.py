"""The number of times that each term is in each passage, counted as passages stream by, in memory or in a file."""

from collections.abc import Sequence
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from .analyzer import NO_TERM, Stems, TermTable, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Counts(NamedTuple):
    """The counted terms of some consecutive passages, sorted by term and then by passage."""

    terms: "NDArray[np.int32]"
    """The distinct terms."""
    starts: "NDArray[np.int64]"
    """The place of each term's first pair, and after them the number of pairs."""
    rows: "NDArray[np.unsignedinteger]"
    """The passage, for every pair of a term and a passage that holds it."""
    counts: "NDArray[np.unsignedinteger]"
    """The number of times that the term is in that passage."""


class TermCounts:
    """Counts the terms of passages as they stream by.

    Counting whole blocks in numpy, and keeping the counts in the narrowest integers that hold them, takes about half
    the time and a quarter of the memory of counting passage by passage.
    """

    def __init__(self, file: IO[bytes] | None = None) -> None:
        """Nothing yet; `file` is where counts wait, to be read back from there, if memory is not to hold them."""
        import numpy as np

        self.stems = Stems()
        self.lengths: list[NDArray[np.int32]] = []
        """The number of terms in each passage of a block, repetitions included."""
        self.passages = 0
        self._blocks: list[Counts] = []
        self._file = file
        self._filed: list[list[tuple[int, Any, int]]] = []
        """Of each array of each block in the file: where it begins, its type, and its bytes."""
        self._table = TermTable(self.stems.learn)
        self._frequency = np.zeros(1 << 10, np.int64)

    @property
    def frequency(self) -> "NDArray[np.int64]":
        """The number of passages that hold each term."""
        return self._frequency[: len(self.stems)]

    @property
    def blocks(self) -> list[Counts]:
        """The counts of each block; those in the file are read from there as they are needed."""
        import numpy as np

        if self._file is None:
            return self._blocks
        self._file.flush()
        kept = np.asarray(np.memmap(self._file, "u1", "r"))
        return [
            Counts(*(kept[start : start + size].view(type_) for start, type_, size in block)) for block in self._filed
        ]

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
            starts=np.append(starts, len(pair_terms)),
            rows=pair_rows.astype(np.min_scalar_type(len(texts))),
            counts=counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        )
        if self._file is None:
            self._blocks.append(counted)
        else:
            self._filed.append([(self._file.tell(), each.dtype, self._file.write(each.tobytes())) for each in counted])
        self.lengths.append(np.bincount(rows, minlength=len(texts)).astype(np.int32))
        self.passages += len(texts)
        if len(self._frequency) < len(self.stems):
            grown = np.zeros(2 * len(self.stems), np.int64)
            grown[: len(self._frequency)] = self._frequency
            self._frequency = grown
        self._frequency[counted.terms] += np.diff(counted.starts)
