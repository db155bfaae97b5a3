"""One region of the world: a thousand paragraphs that speak of each other and of nothing outside but the atlas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ...retrieval import Passage
from .dice import Dice
from .entities.atlas import atlas
from .entities.draft import Draft
from .entities.organizations import add_organizations
from .entities.people import add_people
from .entities.places import add_places
from .entities.works import add_works
from .page_kinds import PAGES
from .values import Entity, Word
from .wording import compose

REGION_SIZE = 1_000
"""Paragraphs in a region."""
BACKLINK_CHANCE = 0.8
"""The chance that a page names some of the pages that name it, so that a second hop can be found by its words."""
MOST_NAMES = 3
"""The most names of a backlink."""
BACKLINKS = {
    "director": "directed", "writer": "scripted", "star": "starred", "composer": "composed", "author": "authored",
    "performer": "performed", "songwriter": "penned", "producer": "produced", "frontman": "fronts",
    "founder": "established", "chair": "chaired", "architect": "designed", "manager": "coached", "mayor": "governed",
    "rector": "headed", "patron": "patronized", "father": "children", "mother": "children", "follows": "sequels",
    "novel": "adapted", "studio": "issued", "label": "issued", "publisher": "issued", "owner": "owned",
    "album": "contained", "birthplace": "natives", "headquarters": "housed", "river": "riverside", "stadium": "hosted",
    "university": "alumni", "award": "laureates", "team": "fielded", "location": "sights", "setting": "settings",
    "presenter": "prizes", "recorded": "recordings",
}  # fmt: skip
"""The fact by which a page names the pages that have this relation to it."""
SINGLE_NAMES = frozenset(("patronized", "sequels", "adapted", "hosted", "fronts"))
"""Backlinks whose phrasings speak of one thing."""


class Region:
    """The entities of one region, each with its paragraph.

    Examples:
        >>> from multihop.data.world.region import Region
        >>> region = Region("seed", 1)
        >>> len(region.entities), region.entities[0].id
        (1000, 'w1-0')
    """

    def __init__(self, seed: str, number: int) -> None:
        """Region `number` of the world `seed`; number 0 is the atlas, which is smaller."""
        if number == 0:
            draft = atlas(seed)
        else:
            draft = Draft(seed, number, _countries(seed))
            add_places(draft)
            add_people(draft)
            add_organizations(draft)
            add_works(draft, size=REGION_SIZE)
        self.entities = draft.dice.mix(draft.entities)
        _add_backlinks(self.entities, draft.dice)
        for position, entity in enumerate(self.entities):
            entity.id = f"w{number}-{position}"
            compose(entity, PAGES[entity.facts.get("career", entity.kind)], draft.dice)

    def passages(self) -> Iterator[Passage]:
        """The paragraphs."""
        for entity in self.entities:
            yield Passage(entity.id, entity.title, entity.text)


@lru_cache(maxsize=8)
def region(seed: str, number: int) -> Region:
    """The region, kept for a while: who reads a world's passages often reads its questions next."""
    return Region(seed, number)


@lru_cache(maxsize=2)
def _countries(seed: str) -> dict[str, list[Entity]]:
    return {"country": [entity for entity in region(seed, 0).entities if entity.kind == "country"]}


def _add_backlinks(entities: list[Entity], dice: Dice) -> None:
    incoming: dict[Entity, dict[str, list[str]]] = {}
    for entity in entities:
        for relation, value in entity.facts.items():
            if relation in BACKLINKS and isinstance(value, Entity):
                incoming.setdefault(value, {}).setdefault(BACKLINKS[relation], []).append(entity.name)
    for entity, backlinks in incoming.items():
        for fact, names in backlinks.items():
            if dice.chance(BACKLINK_CHANCE):
                entity.facts[fact] = _join_names(dice.some(names, 1 if fact in SINGLE_NAMES else MOST_NAMES))


def _join_names(names: list[str]) -> Word:
    *others, last = names
    return Word(f"{', '.join(others)} and {last}" if others else last)
