"""Writes an entity's paragraph from phrasings, and remembers which sentence states which fact."""

from __future__ import annotations

from functools import cached_property
from string import Formatter
from typing import Any, NamedTuple

from . import words
from .dice import Dice
from .entities.people import GRAMMAR
from .values import Entity, Word

WORDS = {
    slot: tuple(map(Word, choices))
    for slot, choices in {
        "adjective": [adjective.lower() for adjective in words.ADJECTIVES],
        "noun": [noun.lower() for noun in words.NOUNS],
        "abstract": [abstract.lower() for abstract in words.ABSTRACTS],
        "person_role": words.ROLES,
        "other_role": words.ROLES,
        "virtue": words.VIRTUES,
        "other_virtue": words.VIRTUES,
        "quality": words.QUALITIES,
        "other_quality": words.QUALITIES,
        "subject": words.SUBJECTS,
        "industry": words.INDUSTRIES,
        "small": ("two", "three", "four", "five", "six", "seven", "eight"),
        "many": ("nine", "eleven", "twelve", "fifteen", "eighteen", "twenty", "thirty", "forty"),
    }.items()
}
"""Slots of a phrasing that say nothing about the entity: any of these words will do."""
SILENT = frozenset(WORDS) | frozenset(GRAMMAR["female"]) | {"name", "surname"}


class Way(NamedTuple):
    """One phrasing of a sentence."""

    text: str
    """The sentence with `{fact}` slots."""
    states: tuple[str, ...]
    """The facts it names, and so states."""


class Topic:
    """One sentence of a page, in several phrasings."""

    def __init__(self, *ways: str, chance: float = 1.0) -> None:
        """A sentence phrased in one of these ways; where its facts are known, a page has it with this chance."""
        self.chance = chance
        self._texts = ways

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """The phrasings; what each names is read off its slots."""
        ways = []
        for text in self._texts:
            slots = dict.fromkeys(slot for _, slot, _, _ in Formatter().parse(text) if slot and slot not in SILENT)
            ways.append(Way(text, tuple(slots)))
        return tuple(ways)

    @cached_property
    def facts(self) -> frozenset[str]:
        """The facts that any of its phrasings name."""
        return frozenset(fact for way in self.ways for fact in way.states)


class PageKind(NamedTuple):
    """The wording of the paragraphs of one kind."""

    leads: tuple[Topic, ...]
    """Openings: the first that fits the facts is used."""
    body: tuple[Topic, ...]
    """The sentences after the opening, in varying order."""
    asides: tuple[str, ...]
    """Sentences that state none of the facts questions ask about."""


class _Slots(dict[str, Any]):
    """The facts of an entity, and any word for a slot that is no fact."""

    dice: Dice

    def __missing__(self, slot: str) -> Word:
        return self.dice.pick(WORDS[slot])


def compose(entity: Entity, page: PageKind, dice: Dice) -> None:
    """Write the entity's paragraph into it.

    Examples:
        >>> from multihop.data.world.dice import Dice
        >>> from multihop.data.world.values import Entity
        >>> from multihop.data.world.wording import PageKind, Topic, compose
        >>> river = Entity("river", "Lorise River", {"length": 212})
        >>> compose(river, PageKind((Topic("The {name} is a river, {length} km long."),), (), ()), Dice("seed"))
        >>> river.text, river.sentence_of
        ('The Lorise River is a river, 212 km long.', {'length': 0})
    """
    slots = _Slots(entity.facts)
    slots["name"] = entity.name
    slots.dice = dice
    for lead in page.leads:
        if _say(entity, lead, slots, dice):
            break
    body: list[Topic | None] = []
    known = entity.facts.keys()
    for part in page.body:
        # Most topics of a person's page are about careers this person never had: pass over them cheaply.
        if part.facts and known.isdisjoint(part.facts):
            continue
        if part.chance == 1.0 or dice.random() < part.chance:
            body.append(part)
    asides = page.asides
    if asides:
        body += [None] * dice.between(2, 3)
    aside, step = int(dice.random() * len(asides)), dice.between(1, max(1, len(asides) // 3))
    for turn in dice.mix(body):
        if turn is not None:
            _say(entity, turn, slots, dice)
        else:
            entity.sentences.append(asides[aside].format_map(slots))
            aside = (aside + step) % len(asides)


def _say(entity: Entity, part: Topic, slots: _Slots, dice: Dice) -> bool:
    ways, facts, sentence_of = part.ways, entity.facts, entity.sentence_of
    start = int(dice.random() * len(ways)) - len(ways)
    for turn in range(start, start + len(ways)):
        text, states = ways[turn]
        for fact in states:
            if fact not in facts or fact in sentence_of:
                break
        else:
            for fact in states:
                sentence_of[fact] = len(entity.sentences)
            entity.sentences.append(text.format_map(slots))
            return True
    return False
