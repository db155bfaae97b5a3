"""BM25 over the parts of a corpus that changed: the hits and scores of one index built anew."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..living.gone import Gone
from .analyzer import NO_TERM, words
from .postings import mean_length, rarity
from .ranking import PlaceScores
from .word_part import WeighedTerm, WordPart
from .word_search import Changed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PartSearch:
    """Ranks the passages of a large part and of small ones beside it, without those that were removed.

    The stored scores of the large part are of an earlier corpus. Multiplied by how a term's weight has changed, they
    are wrong by no more than the mean length has changed; so they tell which passages may be among the first, and
    these few are scored anew, from counts. All of the small parts are.
    """

    def __init__(self, parts: Sequence[WordPart], gone: Sequence[Gone], k1: float, b: float) -> None:
        """The parts, the large one first, and what was removed from each."""
        self._parts, self._gone, self._k1, self._b = parts, gone, k1, b
        self._whole = len(parts) == 1 and not len(gone[0].places)
        if self._whole:  # the stored scores are those of the corpus
            return
        self._passages = sum(map(len, parts)) - sum(len(each.places) for each in gone)
        lost = (int(part.occurrences.lengths[each.places].sum()) for part, each in zip(parts, gone, strict=True))
        self._mean = mean_length(sum(part.length for part in parts) - sum(lost), self._passages)
        large = parts[0].mean
        self._slack = min(large / self._mean, self._mean / large)

    def find_best(self, query: str, k: int) -> PlaceScores:
        """The `k` passages that match the query best; equal ones in the order of the corpus.

        Places are counted through all parts, removed passages included.
        """
        import numpy as np

        if self._whole:
            table = self._parts[0].table
            numbers = [number for number in map(table.__getitem__, words(query)) if number != NO_TERM]
            return list(zip(*self._parts[0].search.find_best(numbers, k), strict=True))
        terms = self._weigh(query)
        places, scores = [], []
        start = 0
        for number, (part, held) in enumerate(zip(self._parts, terms, strict=True)):
            if held:
                found = self._likely(held, k) if not number else self._all(number, held)
                places.append(found.astype(np.int64) + start)
                scores.append(part.score(held, found, self._mean, self._k1, self._b))
            start += len(part)
        if not places:
            return []
        all_places, all_scores = np.concatenate(places), np.concatenate(scores)
        order = np.argsort(-all_scores, kind="stable")[:k]
        order = order[all_scores[order] > 0]
        return list(zip(all_places[order].tolist(), all_scores[order].tolist(), strict=True))

    def _weigh(self, query: str) -> list[list[WeighedTerm]]:
        """The query's terms in each part, weighed by the whole corpus."""
        import numpy as np

        terms: list[list[WeighedTerm]] = [[] for _ in self._parts]
        for word in words(query):
            numbers = [part.table[word] for part in self._parts]
            each = zip(self._parts, self._gone, numbers, strict=True)
            count = sum(part.holding(term) - gone.holding(term) for part, gone, term in each if term != NO_TERM)
            weight = np.float32(rarity(count, self._passages))
            for held, term in zip(terms, numbers, strict=True):
                if term != NO_TERM and count:
                    held.append(WeighedTerm(term, weight))
        return terms

    def _likely(self, terms: Sequence[WeighedTerm], k: int) -> "NDArray[np.int32]":
        """The places in the large part of all that may be among the first `k`."""
        part = self._parts[0]
        factors = {each.term: part.rescaling(each) for each in terms}
        changed = Changed(factors, self._slack, self._gone[0].places, self._missing)
        return part.search.find_likely([each.term for each in terms], k, changed)

    def _all(self, number: int, terms: Sequence[WeighedTerm]) -> "NDArray[np.int32]":
        """The places in a small part of all that hold one of the terms."""
        import numpy as np

        part = self._parts[number]
        columns = [part.search.column(each.term)[1] for each in terms]
        found = np.unique(np.concatenate(columns))
        gone = self._gone[number].places
        return found[~np.isin(found, gone, assume_unique=True)] if len(gone) else found

    @cached_property
    def _missing(self) -> "NDArray[np.bool_] | None":
        """For each place in the large part, True if the passage was removed; None if none was."""
        import numpy as np

        gone = self._gone[0].places
        if not len(gone):
            return None
        missing = np.zeros(len(self._parts[0]), np.bool_)
        missing[gone] = True
        return missing
