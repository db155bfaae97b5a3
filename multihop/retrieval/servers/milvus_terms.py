"""The terms of a corpus in Milvus: their notes, and how they are weighed once the corpus has changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..bm25 import text_of_words
from ..passage import Passage
from ..words.analyzer import TermTable, words
from ..words.postings import damp, mean_length, rarity

if TYPE_CHECKING:
    import numpy as np

_CHANGED = "c"


class TermNote(NamedTuple):
    """What is noted of a term."""

    number: int
    """Its number, by which it has its place in the vectors."""
    stored: int
    """The number of passages that held it when the collection was built."""
    now: int
    """The number that hold it now."""
    change: int = 0
    """The number of the change since which that is so; 0 if none has touched it."""
    before: int = 0
    """The number that held it before."""

    @classmethod
    def read(cls, value: str) -> "TermNote":
        """The note in a text."""
        if value.startswith(_CHANGED):
            change, number, stored, now, before = map(int, value[len(_CHANGED) :].split())
            return cls(number, stored, now, change, before)
        number, stored = map(int, value.split())
        return cls(number, stored, stored)

    def write(self) -> str:
        """The text."""
        if not self.change:
            return f"{self.number} {self.stored}"
        return f"{written_by(self.change)}{self.number} {self.stored} {self.now} {self.before}"

    def at(self, change: int) -> int:
        """The number of passages that hold it after that change: a later one may be under way."""
        return self.now if self.change <= change else self.before

    def changed(self, change: int, by: int) -> "TermNote":
        """The note after the next change."""
        count = self.at(change)
        return self._replace(now=count + by, change=change + 1, before=count)


def written_by(change: int) -> str:
    """What the text of a note that a change has written begins with."""
    return f"{_CHANGED}{change} "


class Weights:
    """The weights of terms in a corpus that has changed since its vectors were made."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        """The statistics that the description of a collection has."""
        self._k1, self._b, self._titles = about["k1"], about["b"], about["titles"]
        self._passages, self._stored = about["passages"], about["stored_passages"]
        self._mean = mean_length(about["length"], about["passages"])
        self._stored_mean = mean_length(about["stored_length"], about["stored_passages"])

    @property
    def slack(self) -> float:
        """The least part of a passage's true score that the product of its vector with a query's can be."""
        return min(self._mean / self._stored_mean, self._stored_mean / self._mean) * (1 - 2.0**-16)

    def stored(self, note: TermNote) -> float:
        """The weight of a term in the vectors; a term that came later has none there, and so 1."""
        return rarity(note.stored, self._stored) if note.stored else 1.0

    def now(self, note: TermNote, change: int) -> float:
        """The weight of a term now; 0 if no passage holds it."""
        held = note.at(change)
        return rarity(held, self._passages) if held else 0.0

    def vector(self, passage: Passage, notes: Mapping[str, TermNote]) -> dict[int, float]:
        """A new passage's weight for each term's number, as those that were there before have them."""
        import numpy as np

        counts = count_stems(text_of_words(passage, self._titles))
        length = np.array([counts.total()], np.int32)
        damping = float(damp(length, self._stored_mean, self._k1, self._b)[0])
        return {
            notes[stem].number: float(np.float32(self.stored(notes[stem])) * (count / (damping + count)))
            for stem, count in counts.items()
        }

    def score(self, passage: Passage, query: Sequence[tuple[str, float]]) -> "np.float32":
        """The score of a passage for a query's stems with their weights, as `BM25` has it."""
        import numpy as np

        counts = count_stems(text_of_words(passage, self._titles))
        damping = damp(np.array([counts.total()], np.int32), self._mean, self._k1, self._b)[0]
        score = np.float32(0)
        for stem, weight in query:
            if stem in counts:
                score += np.float32(np.float32(weight) * (counts[stem] / (damping + counts[stem])))
        return score


def count_stems(text: str) -> Counter[str]:
    """The stems of a text, and how often each is in it."""
    return Counter(stems_of(text))


def stems_of(text: str) -> list[str]:
    """The stems of a text, in their order."""
    stems: dict[str, int] = {}
    table = TermTable(stems, learn=True)
    numbers = [table[word] for word in words(text)]
    names = list(stems)
    return [names[number] for number in numbers if number >= 0]
