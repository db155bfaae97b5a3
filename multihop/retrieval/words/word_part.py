"""The words of one part of a corpus that changes, and what passages that were removed take from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base import InputError
from ..living.gone import Gone
from .analyzer import NO_TERM, TermTable, words
from .postings import Occurrences, Postings
from .word_search import WordSearch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_ALIKE = 0.98
"""Factors from here on, up to the inverse, are not applied."""


class Held(NamedTuple):
    """The passages of a part that hold a term."""

    start: int
    """The place at which the term begins in the postings."""
    places: "NDArray[np.int32]"
    """Their places, in ascending order."""
    counts: "NDArray[np.unsignedinteger]"
    """The number of times that it is in each."""


class WeighedTerm(NamedTuple):
    """A term of a query in a part, with its weight in the whole corpus."""

    term: int
    held: Held
    """The passages that hold it."""
    weight: "np.float32"
    factor: float
    """The factor from the weight in the stored scores to this one."""

    @property
    def is_alike(self) -> bool:
        """True if the factor is not applied: a few more passages then come into question, which costs less."""
        return _ALIKE <= self.factor <= 1 / _ALIKE


class WordPart:
    """A part of a corpus as BM25 indexes it, scored by the statistics of the whole."""

    def __init__(
        self,
        stems: Mapping[str, int],
        postings: Postings,
        occurrences: Occurrences | None,
        passages: int,
        highest: "NDArray[np.float32] | None" = None,
    ) -> None:
        """The parts of an index.

        Args:
            stems: The number of every term.
            postings: The passages that hold each.
            occurrences: The counts behind the scores; an index that was built before they were kept has none.
            passages: The number of passages.
            highest: The highest score of every term, if known.
        """
        self.stems, self.postings, self._occurrences = stems, postings, occurrences
        self._passages = passages
        self.table = TermTable(stems, learn=False)
        self.search = WordSearch(postings, passages, highest)

    def __len__(self) -> int:
        """The number of passages, those that were removed included."""
        return self._passages

    @property
    def occurrences(self) -> Occurrences:
        """The counts behind the scores.

        Raises:
            InputError: The index has none.
        """
        if self._occurrences is None:
            raise InputError(
                "the index was built by an earlier version of multihop and takes no changes; rebuild it with "
                "`multihop index`."
            )
        return self._occurrences

    @cached_property
    def length(self) -> int:
        """The number of terms in all passages, repetitions included."""
        return int(self.occurrences.lengths.sum())

    def holding(self, term: int) -> int:
        """The number of passages that hold a term."""
        start, end = self.postings.indptr[term : term + 2].tolist()
        return int(end - start)

    def held(self, term: int) -> Held:
        """The passages that hold a term."""
        start, end = self.postings.indptr[term : term + 2].tolist()
        return Held(start, self.postings.indices[start:end], self.occurrences.counts[start:end])

    def weigh(self, term: int, weight: "np.float32", factor: float) -> WeighedTerm:
        """A term with this weight in the whole corpus, and the factor to it from that in the stored scores."""
        return WeighedTerm(term, self.held(term), weight, factor)

    def score(
        self, terms: Sequence[WeighedTerm], places: "NDArray[np.int32]", damping: "NDArray[Any]"
    ) -> "NDArray[np.float32]":
        """The scores of the passages at some places, in ascending order, exactly as those of one index anew.

        Args:
            terms: The query's, repeated ones counting again.
            places: The places.
            damping: That of each of them.
        """
        import numpy as np

        # All terms at once: what a search has gone through has left nothing of the interpreter in the caches.
        at = np.array([each.held.places.searchsorted(places) for each in terms])
        at += np.array([each.held.start for each in terms])[:, None]
        beyond = at >= np.array([each.held.start + len(each.held.places) for each in terms])[:, None]
        at[beyond] = 0
        counts = self.occurrences.counts[at]
        weights = np.array([each.weight for each in terms])[:, None]
        scores = (weights * (counts / (damping + counts))).astype(np.float32)
        scores[beyond | (self.postings.indices[at] != places)] = 0
        # One after the other in the order of the query, so that sums are rounded as those of one index are.
        summed: NDArray[np.float32] = np.add.accumulate(scores, axis=0)[-1]
        return summed

    def take_away(self, gone: Gone, places: Sequence[int], texts: Sequence[str]) -> Gone:
        """The passages that are gone once these are removed too, given their texts."""
        import numpy as np

        held = Counter[int]()
        for text in texts:
            held.update({self.table[word] for word in words(text)} - {NO_TERM})
        terms = np.concatenate([gone.terms, np.fromiter(held, np.int32, len(held))])
        counts = np.concatenate([gone.counts, np.fromiter(held.values(), np.int32, len(held))])
        distinct, which = np.unique(terms, return_inverse=True)
        summed = np.bincount(which, counts, len(distinct)).astype(np.int32)
        return Gone(np.union1d(gone.places, np.array(places, np.int32)), distinct, summed)
