"""Methods that go from query to query: their bases, their walk, and notes of the answers on the way."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy

from ...retrieval import Passage, RetrieverLike
from ...runtime import Count, Program
from ...signatures import AnswerFromPassages
from .evidence import STOPS, Evidence, Stop, brings_nothing, read_last, repeats, wording

_FINAL = re.compile(r"\banswer (?:\w+ ){0,3}?is:?\s+(?P<answer>\S.*)", re.IGNORECASE | re.DOTALL)


class Chain(Program):
    """The base of methods that retrieve, think about what they found, and retrieve again: loops over a `Walk`.

    A loop ends where the walk, or an attempt to ask, gives None. With `stops` a walk ends before its last turn.
    """

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    turns: Count = 3
    """Retrievals at most."""
    k: Count = 5
    """Passages to retrieve a turn."""
    stops: tuple[Stop, ...] = STOPS
    """The rules that end a search, or one branch of it, early: at a query or sub-question that was asked before
    ("repeats"), and after a round that brings nothing that was not known ("nothing-new")."""
    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    async def answer_sub_question(
        self, step: dspy.Module, walk: "Walk", question: str, sub_question: str
    ) -> Evidence | None:
        """The sub-question with the answer read from what it finds, if anything; None at the end of the walk."""
        passages = await walk.find(sub_question)
        if passages is None:
            return None
        if not passages:
            return note(sub_question, None, ())
        answer = await self.attempt(self.ask(step, passages=passages, question=question, sub_question=sub_question))
        return None if answer is None else note(sub_question, answer, passages)


@dataclass(slots=True)
class Walk:
    """The queries and passages of one question's chain so far, and its way to find more."""

    chain: Chain
    """The method that walks; it says how many turns there are, how much to retrieve, and what ends the walk early."""
    max_passages: int | None = None
    """Passages to keep, those found first; None keeps all."""
    queries: list[str] = field(default_factory=list)
    """The queries, in order."""
    passages_by_id: dict[str, Passage] = field(default_factory=dict)
    """Every passage kept, by id, in the order of finding."""
    ended: bool = False
    """True if there was nothing more to search for, no time for it, or no use in it."""

    async def find(self, query: str) -> list[Passage] | None:
        """The passages that the query finds; None at the end of the walk: no query, no turn left, or no time.

        A query that was searched for before ends it too. After one that finds nothing new the walk is over.
        """
        if self.over or not query or repeats(self.chain, query, self.queries):
            hits = None
        else:
            hits = await self.chain.attempt(self.chain.find(query, self.chain.k))
        if hits is None:
            self.ended = True
            return None
        passages = [hit.passage for hit in hits]
        self.queries.append(query)
        new = [passage for passage in passages if passage.id not in self.passages_by_id]
        room = None if self.max_passages is None else self.max_passages - len(self.passages_by_id)
        self.passages_by_id |= {passage.id: passage for passage in new[:room]}
        if not self.over:
            self.ended = brings_nothing(self.chain, passages, new[:room])
        return passages

    @property
    def rounds(self) -> int:
        """The number of retrievals so far."""
        return len(self.queries)

    @property
    def over(self) -> bool:
        """True if nothing further will be retrieved."""
        return self.ended or self.rounds >= self.chain.turns

    @property
    def passages(self) -> list[Passage]:
        """Every passage kept, each once."""
        return list(self.passages_by_id.values())

    @property
    def counts(self) -> dict[str, int]:
        """The walk in numbers; a query that repeats an earlier one counts as repeated."""
        distinct = {wording(query) for query in self.queries}
        repeated, documents = self.rounds - len(distinct), len(self.passages_by_id)
        return {"rounds": self.rounds, "repeated": repeated, "documents": documents}

    def prediction(self, answer: str | None, evidence: list[dict[str, Any]], /, **more_counts: int) -> dspy.Prediction:
        """The answer, with what was found on the way."""
        counts = {**self.counts, **more_counts}
        return dspy.Prediction(answer=answer, passages=self.passages, evidence=evidence, counts=counts)


def note_texts(notes: Iterable[Evidence]) -> list[str]:
    """Notes and summaries as a prompt shows them, without the passages behind them."""
    return [piece.analysis for piece in notes]


def note(sub_question: str, answer: dspy.Prediction | None, passages: Iterable[Passage]) -> Evidence:
    """A sub-question with its answer, as the prompts after it show it; None is no answer."""
    result = answer.sub_answer.strip() if answer is not None and answer.answerable else ""
    return Evidence(f"{sub_question} -> {result or 'not found'}", tuple(passages))


def final_answer(text: str) -> str:
    """The answer that a text declares; empty if it declares none."""
    declared = _FINAL.search(text)
    return declared["answer"].strip().rstrip(".").strip() if declared else ""


class TextAgent(Chain):
    """The base of `search-r1` and `search-o1`: the LM sees its own text so far and goes on with it.

    On a server of your own (`server/NAME@URL`) it sees what such models are trained on: one message that asks, then its
    own text, which it continues up to a mark that ends a search or the answer. Other LMs get the text as an input.
    What either writes after such a mark is cut off.
    """

    planner = "write"

    reads_unfinished: bool = True
    """Whether a question without an answer in the end is read from the passages; where not, its answer is empty, which
    counts as wrong."""

    def set_up(self) -> None:
        """Set up the reader."""
        self.read = dspy.Predict(AnswerFromPassages)

    async def finished(self, walk: Walk, answer: str, texts: Sequence[str], question: str) -> dspy.Prediction:
        """The prediction: with the answer that the text has, or with one that is read where it has none."""
        found: str | None = answer
        if not answer and self.reads_unfinished:
            found = (await read_last(self, self.read, passages=walk.passages, question=question)).answer
        return walk.prediction(found, [{"analysis": "".join(texts), "passages": list(walk.passages_by_id)}])
