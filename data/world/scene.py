"""A question as it is drawn from a region, and the region as questions see it."""

from __future__ import annotations

from typing import NamedTuple

from ..question import Question, SubQuestion
from .region import Region
from .relations import RELATIONS
from .values import Entity


class UnnumberedQuestion(NamedTuple):
    """A question that has no id yet."""

    question: str
    """Its wording."""
    answers: tuple[str, ...]
    """Accepted answers, the main one first."""
    type: str
    """"bridge", "comparison", "bridge_comparison" or "inference"."""
    hops: int
    """The number of single-hop questions it takes."""
    facts: tuple[tuple[Entity, str], ...]
    """The facts that it rests on: the entity whose paragraph states the fact, and the relation."""
    decomposition: tuple[SubQuestion, ...]
    """The single-hop questions."""

    def with_number(self, number: int) -> Question:
        """The question with its id."""
        return Question(
            id=f"wq{number}",
            question=self.question,
            answers=self.answers,
            supporting=tuple(dict.fromkeys(page.id for page, _ in self.facts)),
            supporting_sents=tuple(
                dict.fromkeys((page.id, page.sentence_of[relation]) for page, relation in self.facts)
            ),
            decomposition=self.decomposition,
            type=self.type,
            hops=self.hops,
        )


class Scene:
    """A region's entities by kind, and the facts that lead back from an object to its one subject."""

    def __init__(self, region: Region) -> None:
        """The scene of this region."""
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
