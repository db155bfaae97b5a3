"""BM25 over the parts of a corpus that changed: the hits and scores of one index built anew."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..living.gone import Gone
from .analyzer import NO_TERM, words
from .postings import damp, mean_length, rarity
from .ranking import PlaceScores
from .small_parts import ScoredWord, SmallParts
from .word_part import WeighedTerm, WordPart
from .word_search import Changed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_REMEMBERED = 1 << 16
"""Words whose terms are kept from query to query."""


class Statistics(NamedTuple):
    """The size of a corpus now, and of the passages that it had when the scores of its large part were stored."""

    passages: int
    """The number of passages."""
    length: int
    """The number of terms in them, repetitions included."""
    stored_passages: int
    """The number of passages then."""
    stored_length: int
    """The number of terms then."""


class _Frequency(NamedTuple):
    """The number of passages that hold a term."""

    now: int
    """Now."""
    stored: int
    """When the scores were stored."""


class PartSearch:
    """Ranks the passages of a large part and of small ones beside it, without those that were removed.

    The stored scores of the large part are of an earlier corpus. Multiplied by how a term's weight has changed, they
    are wrong by no more than the mean length has changed; so they tell which passages may be among the first, and
    these few are scored anew, from counts. All of the small parts are.
    """

    def __init__(self, parts: Sequence[WordPart], gone: Sequence[Gone], k1: float, b: float) -> None:
        """The parts, the large one first, what was removed from each, and the settings of BM25."""
        self._parts, self._gone, self._k1, self._b = parts, gone, k1, b
        self._weighed: dict[str, tuple[WeighedTerm | None, ScoredWord | None]] = {}
        self._is_stored = len(parts) == 1 and not len(gone[0].places)
        if self._is_stored:  # the stored scores are those of the corpus
            return
        whole = self.statistics
        self._mean = mean_length(whole.length, whole.passages)
        stored = mean_length(whole.stored_length, whole.stored_passages)
        self._slack = min(stored / self._mean, self._mean / stored)
        self._small = SmallParts(parts[1:], gone[1:], self._mean, k1, b)

    @cached_property
    def statistics(self) -> Statistics:
        """The statistics of these passages."""
        lost = sum(
            int(part.occurrences.lengths[each.places].sum()) for part, each in zip(self._parts, self._gone, strict=True)
        )
        return Statistics(
            passages=sum(map(len, self._parts)) - sum(len(each.places) for each in self._gone),
            length=sum(part.length for part in self._parts) - lost,
            stored_passages=len(self._parts[0]),
            stored_length=self._parts[0].length,
        )

    def _count(self, word: str) -> _Frequency:
        """The number of these passages that hold a word's term."""
        held = [(part, gone, part.table[word]) for part, gone in zip(self._parts, self._gone, strict=True)]
        now = sum(part.holding(term) - gone.holding(term) for part, gone, term in held if term != NO_TERM)
        large = held[0][2]
        return _Frequency(now, 0 if large == NO_TERM else self._parts[0].holding(large))

    def find_best(self, query: str, k: int) -> PlaceScores:
        """The `k` passages that match the query best; equal ones in the order of the corpus.

        Places are counted through all parts, removed passages included.
        """
        import numpy as np

        if self._is_stored:
            table = self._parts[0].table
            numbers = [number for number in map(table.__getitem__, words(query)) if number != NO_TERM]
            return list(zip(*self._parts[0].search.find_best(numbers, k), strict=True))
        large, small = self._weigh(query)
        places, scores = self._find_in_large(large, k)
        if small:
            least = float(np.partition(scores, -k)[-k]) if len(scores) >= k else 0.0
            found, scored = self._small.find(small, least)
            places, scores = np.concatenate([places, found + len(self._parts[0])]), np.concatenate([scores, scored])
        order = np.argsort(-scores, kind="stable")[:k]
        return list(zip(places[order].tolist(), scores[order].tolist(), strict=True))

    def _weigh(self, query: str) -> tuple[list[WeighedTerm], list[ScoredWord]]:
        """The query's terms in the large part and in the small ones."""
        if len(self._weighed) > _REMEMBERED:
            self._weighed.clear()
        pairs = []
        for word in words(query):
            pair = self._weighed.get(word)
            if pair is None:
                pair = self._weighed[word] = self._weigh_word(word, self._count(word))
            pairs.append(pair)
        return [large for large, _ in pairs if large is not None], [small for _, small in pairs if small is not None]

    def _weigh_word(self, word: str, frequency: _Frequency) -> tuple[WeighedTerm | None, ScoredWord | None]:
        import numpy as np

        if not frequency.now:
            return None, None
        weight, part = np.float32(rarity(frequency.now, self.statistics.passages)), self._parts[0]
        term, large = part.table[word], None
        if term != NO_TERM and part.holding(term):
            stored = rarity(frequency.stored, self.statistics.stored_passages)
            large = part.weigh(term, weight, float(weight) / stored)
        return large, self._small.score(word, weight)

    def _find_in_large(self, terms: Sequence[WeighedTerm], k: int) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """The places in the large part of all that may be among the first `k`, and their scores."""
        import numpy as np

        if not terms:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        part = self._parts[0]
        factors = {each.term: each.factor for each in terms if not each.is_alike}
        alike = [1.0, *(each.factor for each in terms if each.is_alike)]
        slack = self._slack**2 * min(alike) / max(alike)
        changed = Changed(factors, slack, self._gone[0].places, self._missing)
        places = part.search.find_likely([each.term for each in terms], k, changed)
        damping = damp(part.occurrences.lengths[places], self._mean, self._k1, self._b)
        return places.astype(np.int64), part.score(terms, places, damping)

    @cached_property
    def _missing(self) -> "NDArray[Any] | None":
        """For each place in the large part, True if the passage was removed; None if none was."""
        import numpy as np

        gone = self._gone[0].places
        if not len(gone):
            return None
        missing = np.zeros(len(self._parts[0]), np.bool_)
        missing[gone] = True
        return missing
