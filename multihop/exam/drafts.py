"""A question that is not yet checked."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from ..data import Question, SubQuestion
from .subjects import Subject

BRIDGE, MEMBER, COMPARISON, BRIDGE_COMPARISON = "bridge", "one of several", "comparison", "bridge-comparison"
UNANSWERABLE = "unanswerable"
KINDS = (BRIDGE, MEMBER, COMPARISON, BRIDGE_COMPARISON, UNANSWERABLE)
"""The kinds of questions of an exam."""


class Step(NamedTuple):
    """One hop of a question."""

    question: str
    answer: str
    subject: Subject
    """The subject of the page that answers it."""
    sentence: int
    """The place of the sentence there that does."""
    relation: str
    """The name of the relation that is asked for."""


class Draft(NamedTuple):
    """A question with all that is known of it."""

    kind: str
    """One of `KINDS`."""
    question: str
    answers: tuple[str, ...]
    """Empty where it cannot be answered."""
    steps: tuple[Step, ...]
    named: tuple[Subject, ...]
    """The subjects that the question names."""

    @property
    def relations(self) -> str:
        """The relations that its hops go along."""
        return " > ".join(dict.fromkeys(step.relation for step in self.steps))

    def as_question(self, level: str = "") -> Question:
        """The question as sets have it; its id is made of its words."""
        pages = dict.fromkeys(step.subject.page.id for step in self.steps)
        sentences = dict.fromkeys((step.subject.page.id, step.sentence) for step in self.steps if step.sentence >= 0)
        return Question(
            id=hashlib.sha256(self.question.encode()).hexdigest()[:16],
            question=self.question,
            answers=self.answers,
            supporting=tuple(pages),
            supporting_sents=tuple(sentences),
            decomposition=tuple(SubQuestion(s.question, s.answer, s.subject.page.id) for s in self.steps),
            type=self.kind,
            level=level,
            hops=len(self.steps),
            gold="derived",
            answerable=bool(self.answers),
        )
