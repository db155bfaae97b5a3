"""Patterns that put names together from word lists: of places, works, companies, bands and prizes."""

from __future__ import annotations

from collections.abc import Callable

from .. import words
from ..values import with_article


class Pattern:
    """A way to write a number with words, one word list a digit."""

    def __init__(self, write: Callable[..., str], *lists: tuple[str, ...]) -> None:
        self._write = write
        self._lists = lists
        self.size = 1
        for choices in lists:
            self.size *= len(choices)

    def __call__(self, index: int) -> str:
        """The words for a number below `size`."""
        digits = []
        for choices in self._lists:
            index, digit = divmod(index, len(choices))
            digits.append(choices[digit])
        return self._write(*digits)


def plural(noun: str) -> str:
    """The plural of a noun of the word lists.

    Examples:
        >>> from multihop.data.world.entities.name_patterns import plural
        >>> plural("Wolf"), plural("Lily"), plural("Day")
        ('Wolves', 'Lilies', 'Days')
    """
    irregular = {"Child": "Children", "Thief": "Thieves", "Wolf": "Wolves", "Fisherman": "Fishermen"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith(("ch", "sh", "ss", "x", "z")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


def _name_after(noun: str, root: str, ending: str) -> str:
    article, _ = with_article(noun).split()
    return f"{article.capitalize()} {noun} for {root}{ending}"


def _joined(ending: str, middle: str, stem: str) -> str:
    return f"{stem}{middle}{ending}"


_PLACE = (words.PLACE_ENDINGS, words.PLACE_MIDDLES, words.PLACE_STEMS)
PLACES = Pattern(_joined, *_PLACE)
PREFIXED_PLACES = Pattern(lambda *parts: f"{parts[-1]} {_joined(*parts[:-1])}", *_PLACE, words.PLACE_PREFIXES)
"""The names of towns, without a word before them and with one."""
PROVINCES = Pattern(_joined, words.PROVINCE_ENDINGS, words.PLACE_MIDDLES, words.PLACE_STEMS)
RIVERS = Pattern(_joined, ("", "a", "e", "o"), words.PLACE_MIDDLES, words.PLACE_STEMS)
_FAR = (words.PLACE_STEMS, words.PLACE_MIDDLES, words.FAR_ENDINGS)
_SURNAME = (words.SURNAME_ROOTS, words.SURNAME_ENDINGS)
_FIRST = tuple(stem + ending for ending in words.FEMALE_ENDINGS[:6] for stem in words.FEMALE_STEMS)
_NOUNS, _ADJECTIVES, _ABSTRACTS = words.NOUNS, words.ADJECTIVES, words.ABSTRACTS
TITLES = (
    Pattern(lambda noun, adjective: f"The {adjective} {noun}", _NOUNS, _ADJECTIVES),
    Pattern(lambda noun, *far: f"The {noun} of {''.join(far)}", _NOUNS, *_FAR),
    Pattern(lambda first, noun, adjective: f"{first}'s {adjective} {noun}", _FIRST, _NOUNS, _ADJECTIVES),
    Pattern(lambda noun, gerund, adjective: f"{gerund} the {adjective} {noun}", _NOUNS, words.GERUNDS, _ADJECTIVES),
    Pattern(_name_after, _NOUNS, *_SURNAME),
    Pattern(lambda noun, abstract, *far: f"{noun} and {abstract} in {''.join(far)}", _NOUNS, _ABSTRACTS, *_FAR),
    Pattern(lambda first, adjective, noun: f"{first} and the {adjective} {noun}", _FIRST, _ADJECTIVES, _NOUNS),
    Pattern(lambda adjective, noun, *far: f"{adjective} {plural(noun)} of {''.join(far)}", _ADJECTIVES, _NOUNS, *_FAR),
)
"""The titles of works."""
COMPANIES = (
    Pattern(lambda root, ending, noun: f"{root}{ending} {noun}", *_SURNAME, _NOUNS),
    Pattern(lambda root, ending, other: f"{root}{ending} & {other}er", *_SURNAME, words.PLACE_STEMS),
)
"""The names of companies, before the word that says what they do."""
BANDS = (
    Pattern(lambda root, ending, noun: f"The {root}{ending} {plural(noun)}", *_SURNAME, _NOUNS),
    Pattern(lambda noun, first: f"{first} and the {plural(noun)}", _NOUNS, _FIRST),
    Pattern(lambda adjective, noun: f"The {adjective} {plural(noun)}", _ADJECTIVES, _NOUNS),
)
"""The names of bands."""
AWARDS = (
    Pattern(lambda root, ending, noun: f"{root}{ending} {noun} Prize", *_SURNAME, _NOUNS),
    Pattern(lambda noun, adjective: f"{adjective} {noun} Award", _NOUNS, _ADJECTIVES),
)
"""The names of prizes."""
