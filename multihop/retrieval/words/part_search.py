"""BM25 over the parts of a corpus that changed: the hits and scores of one index built anew."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..living.gone import Gone
from .analyzer import NO_TERM, words
from .postings import damp, mean_length, rarity
from .ranking import PlaceScores, reaching
from .word_part import WeighedTerm, WordPart
from .word_search import Changed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_REMEMBERED = 1 << 16
"""Words whose terms are kept from query to query."""


class PartSearch:
    """Ranks the passages of a large part and of small ones beside it, without those that were removed.

    The stored scores of the large part are of an earlier corpus. Multiplied by how a term's weight has changed, they
    are wrong by no more than the mean length has changed; so they tell which passages may be among the first, and
    these few are scored anew, from counts. All of the small parts are.
    """

    def __init__(self, parts: Sequence[WordPart], gone: Sequence[Gone], k1: float, b: float) -> None:
        """The parts, the large one first, and what was removed from each."""
        self._parts, self._gone, self._k1, self._b = parts, gone, k1, b
        self._weighed: dict[str, list[tuple[int, WeighedTerm]]] = {}
        self._dampings: dict[int, NDArray[Any]] = {}
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
        places, scores = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        start = 0
        for number, (part, held) in enumerate(zip(self._parts, terms, strict=True)):
            if held:
                found, scored = self._large(held, k) if not number else self._small(number, held, k)
                places.append(found.astype(np.int64) + start)
                scores.append(scored)
            start += len(part)
        all_places, all_scores = np.concatenate(places), np.concatenate(scores)
        order = np.argsort(-all_scores, kind="stable")[:k]
        return list(zip(all_places[order].tolist(), all_scores[order].tolist(), strict=True))

    def _weigh(self, query: str) -> list[list[WeighedTerm]]:
        """The query's terms in each part, weighed by the whole corpus."""
        if len(self._weighed) > _REMEMBERED:
            self._weighed.clear()
        terms: list[list[WeighedTerm]] = [[] for _ in self._parts]
        for word in words(query):
            each = self._weighed.get(word)
            if each is None:
                each = self._weighed[word] = self._weigh_word(word)
            for number, term in each:
                terms[number].append(term)
        return terms

    def _weigh_word(self, word: str) -> list[tuple[int, WeighedTerm]]:
        """The parts that have a word's term, and the term there."""
        import numpy as np

        numbers = [(number, part.table[word]) for number, part in enumerate(self._parts)]
        held = [(number, term) for number, term in numbers if term != NO_TERM]
        count = sum(self._parts[number].holding(term) - self._gone[number].holding(term) for number, term in held)
        weight = np.float32(rarity(count, self._passages))
        return [(number, self._parts[number].weigh(term, weight)) for number, term in held] if count else []

    def _large(self, terms: Sequence[WeighedTerm], k: int) -> "tuple[NDArray[np.int32], NDArray[np.float32]]":
        """The places in the large part of all that may be among the first `k`, and their scores."""
        part = self._parts[0]
        changed = Changed({each.term: each.factor for each in terms}, self._slack, self._gone[0].places, self._missing)
        places = part.search.find_likely([each.term for each in terms], k, changed)
        damping = damp(part.occurrences.lengths[places], self._mean, self._k1, self._b)
        return places, part.score_some(terms, places, damping)

    def _small(
        self, number: int, terms: Sequence[WeighedTerm], k: int
    ) -> "tuple[NDArray[np.int32], NDArray[np.float32]]":
        """The places of the first `k` in a small part, in ascending order, and their scores."""
        scores = self._parts[number].score_all(terms, self._damping(number))
        scores[self._gone[number].places] = 0
        places = reaching(scores, k, 1.0)
        return places, scores[places]

    def _damping(self, number: int) -> "NDArray[Any]":
        """The damping of each passage of a small part."""
        if number not in self._dampings:
            lengths = self._parts[number].occurrences.lengths
            self._dampings[number] = damp(lengths, self._mean, self._k1, self._b)
        return self._dampings[number]

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
