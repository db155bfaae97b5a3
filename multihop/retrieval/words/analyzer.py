"""Text as search terms: lower case, words of two letters or more, no English stop words, English stems."""

import re
from collections.abc import Callable
from threading import Lock
from typing import Any

DESCRIPTION = "english: lower case, words of 2+ letters, 33 stop words, Snowball stems"
"""Kept in every index, so that an index made by other rules is refused instead of searched wrongly."""

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""bm25s's English stop words, which are Lucene's."""

NO_TERM = -1
"""The number for a stop word, or for a word that is not in the index."""

_WORD = re.compile(r"\w\w+")
_REMEMBERED = 1 << 18


def words(text: str) -> list[str]:
    """The words of a text, in order, before stop words go and stems are taken.

    Examples:
        >>> from multihop.retrieval.words.analyzer import words
        >>> words("Who wrote a book at 5?")
        ['who', 'wrote', 'book', 'at']
    """
    return _WORD.findall(text.lower())


class TermTable(dict[str, int]):
    """Word to term number, filled as words are met; stemming a word once makes looking it up again cheap."""

    def __init__(self, number: Callable[[str], int]) -> None:
        """A table over a function that gives the number of a stem."""
        from Stemmer import Stemmer

        super().__init__(dict.fromkeys(STOP_WORDS, NO_TERM))
        self._number = number
        self._stemmer = Stemmer("english", 0)
        self._lock = Lock()

    def __reduce__(self) -> Any:  # a stemmer cannot be pickled
        return TermTable, (self._number,)

    def __missing__(self, word: str) -> int:
        # A stemmer must not be used by two threads at once.
        with self._lock:
            if len(self) >= _REMEMBERED:  # queries may bring new words for ever
                self.clear()
                self.update(dict.fromkeys(STOP_WORDS, NO_TERM))
            term = self[word] = self._number(self._stemmer.stemWord(word))
        return term


class Stems(dict[str, int]):
    """The number of every stem, in the order in which they were met."""

    def learn(self, stem: str) -> int:
        """The number of a stem, which a new one is given."""
        return self.setdefault(stem, len(self))
