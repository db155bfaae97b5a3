"""A claim checked against passages: the sentence nearest to it, and whether that says so.

No network judges a claim here. Its words are laid over each sentence with the title of its page, rare words counting
more, and its details (names, dates, numbers) are looked for. The sentence

- supports it, if it holds enough of it and no detail is missing;
- contradicts it, if all of it stands there but one detail, in the place of which the sentence has another of its kind,
  or if one of the two denies what the other says. That is seldom said, and seldom wrong;
- else the claim is not found.

A detail that the question names is nothing that a sentence need repeat. `benchmarks/claims.py` measures all three.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...english.details import Detail, denied, details, words_of
from ...english.sentences import Span
from ...retrieval import Passage
from .citation import Verdict
from .passage_sentences import sentences_of

SUPPORTS = 0.5
"""The probability from which a sentence supports a claim."""
PAGE = 0.1
"""The weight of a claim's words that stand elsewhere on the page of a sentence."""
OWN = 0.05
"""The weight of those that stand in the sentence itself, and not only in the title."""
ASKED = 0.5
"""The weight of a claim's words that a sentence lacks and the question has."""
BIAS, COVERED, MISSING = -2.9, 5.9, -4.3
"""The log odds that a sentence bears a claim: to begin with, for the share of it that stands there, and for each detail
that is missing."""
OTHERWISE = 0.9
"""The share of the other words that a sentence must have which contradicts a claim."""


class PassageSentence(NamedTuple):
    """A sentence of a passage, with the words that it can be known by."""

    passage: Passage
    span: Span
    words: frozenset[str]
    """Its own."""
    titled: frozenset[str]
    """Those of the title too."""
    page: frozenset[str]
    """Those of the whole passage."""

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[slice(*self.span)]


class Checked(NamedTuple):
    """The sentence nearest to a claim."""

    sentence: PassageSentence
    verdict: Verdict
    score: float
    """The probability that it bears the claim."""
    covered: float
    """The share of the claim's words that it has, rare ones counting more."""
    missing: int
    """The details of the claim that it lacks."""


class ClaimCheck:
    """The sentences of passages, against which claims are checked.

    Examples:
        >>> from multihop import Passage
        >>> from multihop.runtime.grounds.claims import ClaimCheck
        >>> etna = ClaimCheck([Passage("1", "Etna", "Etna is a volcano in Sicily. It last erupted in 2024.")])
        >>> etna.check("Etna erupted last in 2024.").verdict, etna.check("Etna erupted in 1669.").verdict
        ('supported', 'contradicted')
        >>> etna.check("Goethe climbed Vesuvius.").verdict
        'not found'
    """

    def __init__(self, passages: Sequence[Passage], question: str = "") -> None:
        """Of these passages; what the question names need not be repeated."""
        self.sentences = [each for passage in passages for each in _sentences(passage)]
        self.asked = frozenset(words_of(question))
        self._pages = Counter(word for each in self.sentences for word in each.titled)

    def check(self, claim: str) -> Checked | None:
        """The sentence nearest to the claim, and whether it says so; None if there is no sentence, or no word in it."""
        words = frozenset(words_of(claim))
        if not words or not self.sentences:
            return None
        nearest = max(self.sentences, key=lambda each: self._nearness(words, each))
        known = nearest.titled | self.asked
        missing = [each for each in details(claim) if not each.words <= known]
        covered = self._covered(words, nearest)
        odds = BIAS + COVERED * covered + MISSING * len(missing)
        score = 1 / (1 + math.exp(-odds))
        verdict: Verdict = "supported" if score >= SUPPORTS else "not found"
        if denied(claim).isdisjoint(nearest.words) != denied(nearest.text).isdisjoint(words) and not missing:
            verdict = "contradicted" if covered >= OTHERWISE else "not found"
        elif len(missing) == 1 and self._says_otherwise(words, missing[0], nearest):
            verdict = "contradicted"
        return Checked(nearest, verdict, score, covered, len(missing))

    def _covered(self, words: frozenset[str], sentence: PassageSentence) -> float:
        """The share of the words that the sentence has; those that it lacks and the question has count less."""
        has, lacks = (sum(map(self._weight, part)) for part in (words & sentence.titled, words - sentence.titled))
        asked = sum(map(self._weight, (words - sentence.titled) & self.asked))
        return has / (has + lacks - asked * (1 - ASKED))

    def _says_otherwise(self, words: frozenset[str], missing: Detail, nearest: PassageSentence) -> bool:
        """True if all but the detail stands in the sentence, and another of its kind."""
        others = [each for each in details(nearest.text) if each.kind == missing.kind and not each.words & words]
        rest = words - missing.words
        elsewhere = missing.words <= nearest.page
        return bool(others and rest) and not elsewhere and self._share(rest, nearest.titled) >= OTHERWISE

    def _nearness(self, words: frozenset[str], sentence: PassageSentence) -> float:
        own, page = self._share(words, sentence.words), self._share(words, sentence.page)
        return self._share(words, sentence.titled) + OWN * own + PAGE * page

    def _share(self, words: frozenset[str], known: frozenset[str]) -> float:
        """The share of the words that are known, rare ones counting more."""
        return sum(map(self._weight, words & known)) / sum(map(self._weight, words))

    def _weight(self, word: str) -> float:
        return math.log(1 + (1 + len(self.sentences)) / (1 + self._pages[word]))


def _sentences(passage: Passage) -> list[PassageSentence]:
    title = frozenset(words_of(passage.title))
    spans = sentences_of(passage.text)
    words = [frozenset(words_of(passage.text[start:end])) for start, end in spans]
    page = title.union(*words)
    return [PassageSentence(passage, span, own, own | title, page) for span, own in zip(spans, words, strict=True)]
