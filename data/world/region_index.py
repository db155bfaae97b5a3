"""The entities of a region by kind, and the facts that lead back from an object to its subject."""

from __future__ import annotations

from .region import Region
from .relations import RELATIONS
from .values import Entity


class RegionIndex:
    """A region's entities by kind, and the facts that lead back from an object to its one subject."""

    def __init__(self, region: Region) -> None:
        """The index of this region."""
        self._kinds: dict[str, list[Entity]] = {}
        self._subjects: dict[Entity, dict[str, list[Entity]]] = {}
        for entity in region.entities:
            self._kinds.setdefault(entity.kind, []).append(entity)
            for relation, value in entity.facts.items():
                if relation in RELATIONS and isinstance(value, Entity):
                    self._subjects.setdefault(value, {}).setdefault(relation, []).append(entity)

    def of(self, kind: str) -> list[Entity]:
        """The entities of one kind."""
        return self._kinds[kind]

    def lone_subjects(self, value: Entity) -> list[tuple[str, Entity]]:
        """Each relation that exactly one entity has to the value and says so, with that entity."""
        return [
            (relation, subjects[0])
            for relation, subjects in self._subjects.get(value, {}).items()
            if len(subjects) == 1 and relation in subjects[0].sentence_of
        ]
