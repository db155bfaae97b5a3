"""A question as it is drawn from a region, before it has an id."""

from __future__ import annotations

from typing import NamedTuple

from ..question import Question, SubQuestion
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
