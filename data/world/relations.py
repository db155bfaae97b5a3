"""The relations questions ask about: how to ask for them, and how to name what they lead to."""

from __future__ import annotations

from typing import NamedTuple

from .table_files import read_world_table
from .values import Entity


class Relation(NamedTuple):
    """One relation with its phrasings; `{}` is the subject."""

    label: str
    """Its name in a triple."""
    asks: tuple[str, ...]
    """Questions for its object."""
    phrases: tuple[str, ...] = ()
    """Descriptions of its object, to ask further questions about; none where the object has no page."""
    inverse: tuple[str, ...] = ()
    """Descriptions of the one subject that has this object; none where there may be several."""
    weight: int = 2
    """The weight with which a chain draws it."""


RELATIONS: dict[str, Relation] = {name: Relation(**entry) for name, entry in read_world_table("relations").items()}


def triple(subject: Entity, relation: str, value: object) -> tuple[str, str, str]:
    """The fact as (subject, relation, object): titles for entities, the written form for anything else."""
    return subject.title, RELATIONS[relation].label, value.title if isinstance(value, Entity) else str(value)
