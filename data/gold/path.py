"""A question's way to its answer: hop by hop, each with the sentence that says what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...retrieval import Passage
from ..question import Question


class GoldHop(NamedTuple):
    """One step of the way: a passage, and what it answers."""

    sub_question: str
    """A single-hop question, with the answers of earlier hops filled in; empty where the set tells none."""
    answer: str
    """The answer, as the passage writes it; empty where the set tells none."""
    passage: Passage
    sentence: str
    """The sentence of the passage that holds the answer, word for word; without an answer, the supporting ones."""
    needs: tuple[int, ...] = ()
    """The places of the earlier hops whose answers the sub-question uses."""

    def __str__(self) -> str:
        """The hop as prompts show a sub-question with its answer."""
        return f"{self.sub_question} -> {self.answer}"


@dataclass(frozen=True)
class GoldPath:
    """A question with its hops, in the order in which the set tells them."""

    question: Question
    hops: tuple[GoldHop, ...]
    compares: bool = False
    """True if the answer follows from comparing the hops' answers; it need not be in any passage."""

    @property
    def answer(self) -> str:
        """The main answer of the question."""
        return self.question.answer

    @property
    def tells_hops(self) -> bool:
        """True if the set tells each hop's sub-question and answer, and not the supporting passages alone."""
        return all(hop.sub_question for hop in self.hops)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The gold passages in the order of the hops, each once."""
        return tuple({hop.passage.id: hop.passage for hop in self.hops}.values())
