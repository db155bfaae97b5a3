"""Retrieve, think, repeat: the loop that all chain methods share, and what it has found so far."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..retrieval import Passage, Retriever
from .evidence import Evidence, wording
from .program import Program
from .settings import Count

_FINAL = re.compile(r"\banswer (?:\w+ ){0,3}?is:?\s+(?P<answer>\S.*)", re.IGNORECASE | re.DOTALL)


@dataclass(slots=True)
class Walk:
    """What one question's chain has asked for and found."""

    turns: int
    """Retrievals at most."""
    queries: list[str] = field(default_factory=list)
    """What was retrieved for, in order."""
    found: dict[str, Passage] = field(default_factory=dict)
    """Every passage found, by id, in the order of finding."""

    @property
    def over(self) -> bool:
        """Whether no further retrieval will be made."""
        return len(self.queries) >= self.turns

    @property
    def passages(self) -> list[Passage]:
        """Every passage found, each once."""
        return list(self.found.values())

    @property
    def counts(self) -> dict[str, int]:
        """The walk in numbers; a query that repeats an earlier one counts as repeated."""
        distinct = {wording(query) for query in self.queries}
        rounds = len(self.queries)
        return {"rounds": rounds, "repeated": rounds - len(distinct), "documents": len(self.found)}


Think = Callable[[Walk, list[Passage]], Awaitable[str]]
"""Given the walk and what its last query found, the next query; empty at the end."""


class Chain(Program):
    """A method that retrieves, thinks about what it found, and retrieves again.

    Subclasses call `walk` with the one step that makes them what they are.
    """

    def __init__(self, retriever: Retriever, *, turns: Count = 3, k: Count = 5, **limits: Any) -> None:
        """Set up the loop.

        Args:
            retriever: Where the passages come from.
            turns: Retrievals at most.
            k: Passages to retrieve a turn.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.turns, self.k = turns, k

    async def walk(self, think: Think, query: str = "", *, most: int | None = None, reserve: int = 1) -> Walk:
        """Retrieve and think in turn, from the query on, or from a first thought where there is none.

        The walk ends with the thought that names no further query, with the last turn, with the budget, and with a
        thought that cannot be parsed; what was found until then is kept. Of the passages, the first `most` are kept;
        of the budget, `reserve` calls are left for what comes after the walk.
        """
        walk = Walk(self.turns)
        try:
            with self.searching(reserve):
                query = query or (await think(walk, [])).strip()
                while query and not walk.over:
                    found = [hit.passage for hit in await self.find(query, self.k)]
                    walk.queries.append(query)
                    new = [passage for passage in found if passage.id not in walk.found]
                    room = None if most is None else most - len(walk.found)
                    walk.found |= {passage.id: passage for passage in new[:room]}
                    query = (await think(walk, found)).strip()
        except AdapterParseError:
            pass  # counted where it happened; the answer is read from what was found
        return walk

    async def noted(self, answer: dspy.Module, question: str, sub_question: str, found: list[Passage]) -> Evidence:
        """The sub-question as the predictor answers it from what was found; nothing is asked where nothing was."""
        if not found:
            return note(sub_question, None, ())
        said = await self.ask(answer, passages=found, question=question, sub_question=sub_question)
        return note(sub_question, said, found)


def told(notes: Iterable[Evidence]) -> list[str]:
    """Notes and summaries as a prompt shows them, without the passages behind them."""
    return [piece.analysis for piece in notes]


def note(sub_question: str, said: dspy.Prediction | None, passages: Iterable[Passage]) -> Evidence:
    """A sub-question with its answer, as the prompts after it show it; None is no answer."""
    answer = said.sub_answer.strip() if said is not None and said.answerable else ""
    return Evidence(f"{sub_question} -> {answer or 'not found'}", tuple(passages))


def final_answer(text: str) -> str:
    """What a text declares to be the answer; empty if it declares none.

    Examples:
        >>> from multihop.programs.chain import final_answer
        >>> final_answer("So the final answer is: Paris."), final_answer("Who wrote the answer?")
        ('Paris', '')
    """
    declared = _FINAL.search(text)
    return declared["answer"].strip().rstrip(".").strip() if declared else ""
