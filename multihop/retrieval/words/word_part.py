"""The words of one part of a corpus that changes, and what passages that were removed take from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base import InputError
from ..living.gone import Gone
from .analyzer import NO_TERM, TermTable, words
from .postings import Occurrences, Postings, mean_length, rarity
from .word_search import WordSearch, find_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class WeighedTerm(NamedTuple):
    """A term of a query in a part, with its weight in the whole corpus."""

    term: int
    places: "NDArray[np.int32]"
    """The places of the passages that hold it, in ascending order."""
    counts: "NDArray[np.unsignedinteger]"
    """The number of times that it is in each."""
    weight: "np.float32"
    factor: float
    """The factor from the weight in the stored scores to this one."""


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

    @property
    def mean(self) -> float:
        """The mean length that the stored scores were made with."""
        return mean_length(self.length, len(self))

    def holding(self, term: int) -> int:
        """The number of passages that hold a term."""
        start, end = self.postings.indptr[term : term + 2].tolist()
        return int(end - start)

    def weigh(self, term: int, weight: "np.float32") -> WeighedTerm:
        """A term with this weight in the whole corpus."""
        start, end = self.postings.indptr[term : term + 2].tolist()
        factor = float(weight) / rarity(end - start, len(self))
        return WeighedTerm(term, self.postings.indices[start:end], self.occurrences.counts[start:end], weight, factor)

    def score_some(
        self, terms: Sequence[WeighedTerm], places: "NDArray[np.int32]", damping: "NDArray[Any]"
    ) -> "NDArray[np.float32]":
        """The scores of the passages at some places, in ascending order, exactly as those of one index anew.

        Args:
            terms: The query's, repeated ones counting again.
            places: The places.
            damping: That of each of them.
        """
        found = [find_places(each.places, places) for each in terms]
        counts = [each.counts[at] for each, (at, _) in zip(terms, found, strict=True)]
        return _add_up(terms, [held for _, held in found], counts, damping)

    def score_all(self, terms: Sequence[WeighedTerm], damping: "NDArray[Any]") -> "NDArray[np.float32]":
        """The scores of all passages."""
        return _add_up(terms, [each.places for each in terms], [each.counts for each in terms], damping)

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


def _add_up(
    terms: Sequence[WeighedTerm],
    places: "Sequence[NDArray[Any]]",
    counts: "Sequence[NDArray[np.unsignedinteger]]",
    damping: "NDArray[Any]",
) -> "NDArray[np.float32]":
    """The scores of passages whose damping this is: for each term its places among them, and its counts there."""
    import numpy as np

    scores = np.zeros(len(damping), np.float32)
    weights = np.repeat(np.array([each.weight for each in terms]), [len(each) for each in places])
    at, times = np.concatenate(places), np.concatenate(counts)
    # One after the other, so that sums are rounded as those of one index are.
    np.add.at(scores, at, (weights * (times / (damping[at] + times))).astype(np.float32))
    return scores
