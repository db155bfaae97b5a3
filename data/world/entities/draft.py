"""A region in the making: its random numbers, its names, and the entities added so far."""

from __future__ import annotations

from typing import Any

from ..dice import Dice
from ..values import Date, Entity, Word
from .names import Names

TODAY = 2021
"""The year in which the encyclopedia is written."""


class Draft:
    """Entities by kind, in the order in which they were added.

    Examples:
        >>> from multihop.data.world.entities.draft import Draft
        >>> draft = Draft("seed", 0, atlas={})
        >>> river = draft.add("river", draft.names.river(), length=212)
        >>> draft.of("river") == [river]
        True
    """

    def __init__(self, seed: str, region: int, atlas: dict[str, list[Entity]]) -> None:
        """An empty draft of region number `region` of the world `seed`; `atlas` is shared by all regions."""
        self.dice = Dice(f"{seed}/region/{region}")
        self.names = Names(seed, region, self.dice)
        self.atlas = atlas
        self._kinds: dict[str, list[Entity]] = {}
        self._index: dict[str, list[Entity]] = {}

    def add(self, kind: str, name: str, title: str = "", **facts: Any) -> Entity:
        """A new entity of this kind."""
        entity = Entity(kind, name, facts, title)
        self._kinds.setdefault(kind, []).append(entity)
        return entity

    def of(self, kind: str) -> list[Entity]:
        """The entities of one kind."""
        return self._kinds.get(kind) or self._index.get(kind, [])

    def index(self, kind: str, fact: str) -> None:
        """Let `of` also find the entities of this kind by a fact's value, as in `of("architect")`."""
        for entity in self._kinds[kind]:
            self._index.setdefault(entity.facts[fact], []).append(entity)

    @property
    def entities(self) -> list[Entity]:
        """All entities, kind by kind."""
        return [entity for entities in self._kinds.values() for entity in entities]

    def date(self, year: int) -> Date:
        """Some day of the year."""
        dice = self.dice
        return Date(year, dice.between(1, 12), dice.between(1, 28), dice.chance(0.4))

    def word(self, words: tuple[str, ...]) -> Word:
        """One of the words."""
        return Word(self.dice.pick(words))
