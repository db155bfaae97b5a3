"""A question's way to its answer: hop by hop, each with the sentence that says what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...retrieval import Passage
from ..question import Question


class GoldHop(NamedTuple):
    """One step of the way: a question that one passage answers."""

    sub_question: str
    """A single-hop question, with the answers of earlier hops filled in."""
    answer: str
    """The answer, as the passage writes it."""
    passage: Passage
    sentence: str
    """The sentence of the passage that holds the answer, word for word."""
    needs: tuple[int, ...] = ()
    """The places of the earlier hops whose answers the sub-question uses."""
    by_rule: bool = False
    """True if a rule wrote the sub-question, because the set gives none for this hop. A triple, or "Emma >> author", is
    given by the set."""

    def __str__(self) -> str:
        """The hop as prompts show a sub-question with its answer."""
        return f"{self.sub_question} -> {self.answer}"


@dataclass(frozen=True)
class GoldPath:
    """A question with its hops, in the order in which they are found.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.gold import read_gold
        >>> from multihop.retrieval import Passage
        >>> pages = [Passage("1", "Jane Austen", "She was born in Steventon."), Passage("2", "Emma", "By Jane Austen.")]
        >>> question = Question(
        ...     id="q", question="Where was the author of Emma born?", answers=("Steventon",), supporting=("1", "2")
        ... )
        >>> path = read_gold([question], pages).paths[0]
        >>> [hop.answer for hop in path.hops], path.hops[1].needs, path.compares
        (['Jane Austen', 'Steventon'], (0,), False)
    """

    question: Question
    hops: tuple[GoldHop, ...]
    compares: bool = False
    """True if the answer follows from comparing the hops' answers; it need not be in any passage."""

    @property
    def answer(self) -> str:
        """The main answer of the question."""
        return self.question.answer

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The gold passages in the order of the hops, each once."""
        return tuple({hop.passage.id: hop.passage for hop in self.hops}.values())
