"""The places of a region: provinces, rivers and towns in four countries."""

from __future__ import annotations

from .. import words
from ..values import Entity, Quantity
from .draft import Draft

TOWNS = 60
PROVINCES = 8
RIVERS = 8


def add_places(draft: Draft) -> None:
    """Add provinces of four countries, their rivers and their towns.

    Examples:
        >>> from multihop.data.world.entities.atlas import atlas
        >>> from multihop.data.world.entities.draft import Draft
        >>> from multihop.data.world.entities.places import add_places
        >>> draft = Draft("seed", 1, {"country": atlas("seed").of("country")})
        >>> add_places(draft)
        >>> len(draft.of("city")), str(draft.of("city")[0].facts["province"]) == str(draft.of("province")[0])
        (60, True)
    """
    dice, names = draft.dice, draft.names
    countries = dice.some(draft.atlas["country"], 4)
    for number in range(PROVINCES):
        draft.add(
            "province",
            names.province(),
            country=countries[number % len(countries)],
            area=Quantity(dice.between(800, 30_000)),
            created=dice.between(1790, 1970),
        )
    for number in range(RIVERS):
        draft.add(
            "river",
            names.river(),
            province=draft.of("province")[number % PROVINCES],
            length=dice.between(40, 900),
            mouth=draft.word(words.SEAS),
        )
    for number in range(TOWNS):
        _town(draft, number)
    for province in draft.of("province"):
        province.facts["seat"] = next(town for town in draft.of("city") if town.facts["province"] is province)
    _twin(draft)


def _town(draft: Draft, number: int) -> None:
    dice, towns = draft.dice, draft.of("city")
    province = draft.of("province")[number % PROVINCES]
    name = draft.names.place()
    # Towns that share a name are called by name and country everywhere, as in "born in Harnford, Velmia".
    if number % 20 == 19:
        other = towns[number - 6]
        if other.facts["country"] is not province.facts["country"]:
            name = f"{other.name}, {province.facts['country']}"
            other.name = other.title = f"{other.name}, {other.facts['country']}"
    draft.add(
        "city",
        name,
        province=province,
        country=province.facts["country"],
        river=draft.of("river")[number % RIVERS],
        population=Quantity(dice.between(1_200, 300_000)),
        founded=dice.between(1100, 1880),
    )


def _twin(draft: Draft) -> None:
    towns: list[Entity] = draft.dice.mix(draft.of("city"))
    for left, right in zip(towns[0:24:2], towns[1:24:2], strict=True):
        left.facts["twin"] = right
        right.facts["twin"] = left
