"""The small parts of a corpus that changed, searched as one."""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..living.gone import Gone
from .analyzer import NO_TERM
from .postings import damp
from .word_part import WordPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDED = 1 + 2.0**-16
"""A sum of scores is at most so many times what it would be without rounding."""


class ScoredWord(NamedTuple):
    """A word in some passages."""

    places: "NDArray[np.int64]"
    """The places of those that hold it, in ascending order."""
    scores: "NDArray[np.float32]"
    """The score of each for it."""
    highest: float
    """The highest of them."""


class SmallParts:
    """Scores all passages of some parts; places are counted through all of them."""

    def __init__(self, parts: Sequence[WordPart], gone: Sequence[Gone], mean: float, k1: float, b: float) -> None:
        """The parts, what was removed from each, the mean length of the whole corpus, and the settings of BM25."""
        import numpy as np

        self._parts = parts
        self._starts = list(accumulate(map(len, parts), initial=0))
        lengths = [part.occurrences.lengths for part in parts]
        self._damping = damp(np.concatenate([np.zeros(0, np.int32), *lengths]), mean, k1, b)
        self._missing = np.zeros(self._starts[-1], np.bool_)
        for start, each in zip(self._starts, gone, strict=False):
            self._missing[each.places + start] = True

    def score(self, word: str, weight: "np.float32") -> ScoredWord | None:
        """The passages that hold a word's term, given its weight; None if there are none."""
        import numpy as np

        places, counts = [], []
        for part, start in zip(self._parts, self._starts, strict=False):
            term = part.table[word]
            if term != NO_TERM:
                held = part.held(term)
                places.append(held.places.astype(np.int64) + start)
                counts.append(held.counts)
        if not places:
            return None
        all_places, all_counts = np.concatenate(places), np.concatenate(counts)
        left = ~self._missing[all_places]
        all_places, all_counts = all_places[left], all_counts[left]
        scores = (weight * (all_counts / (self._damping[all_places] + all_counts))).astype(np.float32)
        return ScoredWord(all_places, scores, float(scores.max())) if len(scores) else None

    def find(self, words: Sequence[ScoredWord], least: float) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """The places of all passages that reach a score, and hold one of the words at least, and their scores.

        Args:
            words: The query's, repeated ones counting again.
            least: The score.
        """
        import numpy as np

        if sum(each.highest for each in words) * _ROUNDED < least:  # as of passages that name other things
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        scores = np.zeros(len(self._damping), np.float32)
        # One after the other, so that sums are rounded as those of one index are.
        np.add.at(
            scores,
            np.concatenate([each.places for each in words]),
            np.concatenate([each.scores for each in words]),
        )
        places = (scores >= least if least > 0 else scores > 0).nonzero()[0]
        return places, scores[places]
