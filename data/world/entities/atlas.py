"""The countries and their capitals: the pages that every region of one world shares."""

from __future__ import annotations

from .. import words
from ..values import Quantity, Word
from .draft import Draft

COUNTRIES = 30
ATLAS_REGION = 0
"""The atlas takes the names of region 0; the regions with paragraphs of their own count from 1."""


def atlas(seed: str) -> Draft:
    """The countries of the world `seed`, and a capital for each.

    Examples:
        >>> from multihop.data.world.entities.atlas import atlas
        >>> [len(atlas("seed").of(kind)) for kind in ("country", "capital")]
        [30, 30]
    """
    draft = Draft(seed, ATLAS_REGION, {})
    dice = draft.dice
    endings = tuple(words.COUNTRY_ENDINGS.items())
    languages = words.LANGUAGE_ENDINGS
    stems = dice.mix(tuple(first + last for first in words.PLACE_STEMS[::3] for last in ("", "an", "or", "en", "al")))
    for number, stem in enumerate(stems[:COUNTRIES]):
        ending, people = endings[number % len(endings)]
        capital = draft.add("capital", draft.names.place())
        country = draft.add(
            "country",
            stem + ending,
            capital=capital,
            demonym=Word(stem + people),
            language=Word(stem + languages[number % len(languages)]),
            currency=Word(f"{stem}{people} {words.CURRENCIES[number % len(words.CURRENCIES)]}"),
            independence=dice.between(1790, 1962),
            population=Quantity(dice.between(900_000, 60_000_000)),
        )
        population = country.facts["population"] // dice.between(6, 14)
        capital.facts.update(country=country, founded=dice.between(900, 1600), population=Quantity(population))
    return draft
