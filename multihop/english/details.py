"""Finds the names, dates and numbers of a text: the words by which one fact differs from another of its kind."""

import re
from typing import Literal, NamedTuple

from .word_stems import content_words

Kind = Literal["name", "date", "number"]
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(
    rf"\b(?:(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:{_MONTHS})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+\d{{3,4}}\b)?"
    r"|(?:1\d|20)\d\d\b(?![.,]\d))"
)
_COUNTED = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|"
    "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
)
_NUMBER = re.compile(rf"\b(?:\d[\d,.]*\d|\d)(?:st|nd|rd|th)?\b|\b(?:{_COUNTED})\b", re.IGNORECASE)
_CAPITAL = r"[^\W\d_a-z](?:[\w’'.-]*\w)?"
_NAME = re.compile(rf"\b{_CAPITAL}(?:(?:\s+|\s+(?:of|the|de|van|von|and|for|la|du|al)\s+){_CAPITAL})*")
DENIED = 3
"""Words after a "not" that it denies."""
_NOT = re.compile(r"\b(?:not(?! only)|never|no|nor|neither|without|cannot)\b|n['’]t\b", re.IGNORECASE)


EDGE = 5
"""Characters at the beginning of a text in which its first word begins."""
NEAR = 200
"""Characters after a "not" in which the words that it denies are looked for."""


class Detail(NamedTuple):
    """A name, a date or a number in a text."""

    kind: Kind
    start: int
    end: int
    words: frozenset[str]
    """Its words in lower case, those that carry meaning."""


def details(text: str) -> list[Detail]:
    """The details of a text, in their order; a single capital word at its beginning is none.

    Examples:
        >>> from multihop.english.details import details
        >>> text = "The composer Nino Rota, born in Milan on 3 December 1911, wrote 170 scores."
        >>> [(each.kind, text[each.start : each.end]) for each in details(text)]
        [('name', 'Nino Rota'), ('name', 'Milan'), ('date', '3 December 1911'), ('number', '170')]
    """
    found: list[Detail] = []
    patterns: tuple[tuple[Kind, re.Pattern[str]], ...] = (("date", _DATE), ("name", _NAME), ("number", _NUMBER))
    rest = text
    for kind, pattern in patterns:
        for match in pattern.finditer(rest):
            start, end = match.span()
            words = frozenset(words_of(match[0]))
            begins = start < EDGE and not text[:start].strip("\"'“‘( ")
            if words and not (kind == "name" and begins and not re.search(r"\s", match[0])):
                found.append(Detail(kind, start, end, words))
        rest = pattern.sub(_blank, rest)
    return sorted(found, key=lambda each: each.start)


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


def words_of(text: str) -> list[str]:
    """The words of a text that carry meaning, by their stems, with ordinals as plain numbers.

    Examples:
        >>> from multihop.english.details import words_of
        >>> words_of("on the 3rd of December")
        ['3', 'december']
    """
    return [re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word) for word in content_words(text)]


def denied(text: str) -> set[str]:
    """The words that a text denies: the first few after "not", "never", "no" and the like.

    Examples:
        >>> from multihop.english.details import denied
        >>> sorted(denied("She never married, and died in Rome.")), denied("She was not only rich.")
        (['died', 'rom', 'spouse'], set())
    """
    return {word for found in _NOT.finditer(text) for word in words_of(text[found.end() : found.end() + NEAR])[:DENIED]}
