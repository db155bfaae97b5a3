"""The ways in which questions name things, and the written answers that count as right for each."""

from __future__ import annotations

import re

from .dice import Dice
from .values import Date, Entity, Quantity

_NAMED = {
    "film": ("{name}", "the film {name}", "the {released} film {name}", "the {genre} film {name}"),
    "book": ("the book {name}", "{name}", "the {genre} {name}"),
    "album": ("the album {name}", "the {released} album {name}"),
    "song": ("the song {name}", 'the song "{name}"', 'the {released} song "{name}"'),
    "band": ("the band {name}", "{name}"),
    "award": ("the {name}",),
    "team": ("the {name}",),
    "river": ("the {name}",),
    "studio": ("{name}", "the company {name}"),
    "firm": ("{name}", "the company {name}"),
}


def mention(entity: Entity, dice: Dice) -> str:
    """The entity as a question speaks of it, in some wording that fits no other."""
    if entity.has_namesake:
        return plain(entity)
    return dice.pick(_NAMED.get(entity.kind, ("{name}",))).format_map({**entity.facts, "name": entity.name})


def plain(entity: Entity) -> str:
    """The name, with what the title's brackets add where another entity carries the name too.

    Examples:
        >>> from multihop.data.world.mentions import plain
        >>> from multihop.data.world.values import Entity
        >>> plain(Entity("film", "The Wise Hotel", {}, "The Wise Hotel (1964 film)"))
        'the 1964 film The Wise Hotel'
    """
    if entity.has_namesake:
        return f"the {entity.title[len(entity.name) + 2 : -1]} {entity.name}"
    return f"the {entity.name}" if entity.kind in ("award", "team", "river") else entity.name


def answers(value: object) -> tuple[str, ...]:
    """The accepted answers for a value, the way its paragraph writes it first.

    Examples:
        >>> from multihop.data.world.mentions import answers
        >>> from multihop.data.world.values import Date, Entity
        >>> answers(Entity("person", "Alina B. Dunford", {}))
        ('Alina B. Dunford', 'Alina Dunford')
        >>> answers(Date(1954, 3, 12))
        ('12 March 1954', 'March 12, 1954')
    """
    if isinstance(value, Date):
        return value.forms
    if isinstance(value, Quantity):
        return str(value), str(int(value))
    if not isinstance(value, Entity):
        return tuple(dict.fromkeys((str(value), str(value).removeprefix("the "))))
    forms = [value.name, value.title]
    if value.kind == "person":
        forms.append(re.sub(r" (?:[A-Z]\. ?)+", " ", value.name))
    if value.kind == "city":
        forms.append(value.name.split(", ")[0])
    if value.name.startswith("The "):
        forms.append(value.name.removeprefix("The "))
    return tuple(dict.fromkeys(forms))
