"""Answering by sub-questions as a decision process: states, actions, transitions and rewards for any tree search.

A state is the question and the steps so far; an action is a sub-question; a transition retrieves for it and answers it;
the reward is the LM's own score of how far the steps help. Gold is never seen. Which tree is searched, and how, is said
by the methods: MCTS, breadth-first and depth-first search share these prompts.
"""

import re
from collections.abc import Coroutine, Hashable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import dspy

from ..retrieval import Passage, Retriever
from ..signatures import (
    AnswerStep,
    AnswerStepFromMemory,
    EvaluateHistory,
    NextSubQuestion,
    ProposeSubQuestions,
    ReadPath,
    ReadSteps,
)
from .branch import current_branch, keep
from .decision import Decision
from .evidence import wording
from .lookup import Lookup
from .path_tree import PathTree, drawn
from .program import Program
from .score import read_score
from .search import Moves
from .settings import Count

Reuse = Literal["none", "transitions", "self-contained"]

_LEANS_ON_HISTORY = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|there|then|former|latter|same)\b",
    re.IGNORECASE,
)


class Step(NamedTuple):
    """One sub-question with what came of it."""

    sub_question: str
    sentence: str = ""
    """The sentence that answers it, where passages were read."""
    result: str = ""
    """Its answer; empty where none was found."""
    passages: tuple[Passage, ...] = ()

    @property
    def recorded(self) -> dict[str, Any]:
        """The step as plain values, its passages by id."""
        return {**self._asdict(), "passages": [passage.id for passage in self.passages]}

    def __str__(self) -> str:
        """The step as a prompt shows it."""
        return f"{self.sub_question} -> {self.result or 'not found'}"


Path = tuple[Step, ...]


class SubQuestionSearch(Program):
    """The moves of a search over sub-questions, and the reading of the path it chose."""

    small = {"depth": 2, "candidates": 2}
    planner = "plan"
    clone = "mzqa-bc"

    def __init__(
        self,
        retriever: Retriever | None = None,
        *,
        retrieval: bool = True,
        k: Count = 6,
        depth: Count = 4,
        candidates: Count = 5,
        reuse: Reuse = "transitions",
        **limits: Any,
    ) -> None:
        """Set up the steps.

        Args:
            retriever: Where the passages come from; not needed without `retrieval`.
            retrieval: Whether sub-questions are answered from retrieved passages, or from the LM's memory.
            k: Passages to retrieve for a sub-question.
            depth: The longest path, in sub-questions.
            candidates: Sub-questions to propose at a time.
            reuse: Which calls are not made twice: "none" makes every call; "transitions" looks up the same call after
                the same history; "self-contained" also shares the answer of a sub-question that does not lean on its
                history, which is then not shown.
            **limits: See `Program`.
        """
        self.retrieves = retrieval
        super().__init__(retriever if retrieval else None, **limits)
        self.retrieval, self.k, self.depth, self.candidates, self.reuse = retrieval, k, depth, candidates, reuse
        self.propose = dspy.Predict(ProposeSubQuestions)
        self.plan = dspy.Predict(NextSubQuestion)
        self.answer = dspy.Predict(AnswerStep if retrieval else AnswerStepFromMemory)
        self.evaluate = dspy.ChainOfThought(EvaluateHistory)
        self.read = dspy.Predict(ReadPath if retrieval else ReadSteps)

    def lookup(self) -> Lookup:
        """An empty table of calls, for one question."""
        return Lookup(sharing=self.reuse != "none")

    def moves(self, question: str, made: Lookup) -> Moves[str, Step]:
        """What a search may do, each call looked up among those already made."""

        def propose(path: Path) -> Coroutine[Any, Any, list[str]]:
            return made.once(("propose", told(path)), lambda: self.proposed(question, path))

        def plan(path: Path) -> Coroutine[Any, Any, str | None]:
            return made.once(("plan", told(path)), lambda: self.planned(question, path))

        def move(path: Path, sub_question: str) -> Coroutine[Any, Any, Step]:
            history = self.leant_on(path, sub_question)
            return made.once(
                ("move", told(history), wording(sub_question)), lambda: self.moved(question, history, sub_question)
            )

        def score(path: Path) -> Coroutine[Any, Any, float]:
            return made.once(("score", told(path)), lambda: self.scored(question, path))

        return Moves(propose=propose, plan=plan, move=move, score=score, depth=self.depth, breadth=self.candidates)

    def leant_on(self, path: Path, sub_question: str) -> Path:
        """What the answer of a sub-question may lean on."""
        alone = self.reuse == "self-contained" and not _LEANS_ON_HISTORY.search(sub_question)
        return () if alone else path

    async def proposed(self, question: str, path: Path) -> list[str]:
        """Different sub-questions that could come next."""
        said = await self.attempt(self.propose, history=told(path), number=self.candidates, question=question)
        return distinct(said.sub_questions if said else ())[: self.candidates]

    async def planned(self, question: str, path: Path) -> str | None:
        """The one sub-question that comes next."""
        said = await self.attempt(self.plan, history=told(path), question=question)
        return said.sub_question.strip() or None if said else None

    async def moved(self, question: str, path: Path, sub_question: str) -> Step:
        """The sub-question, answered."""
        inputs: dict[str, Any] = {"history": told(path), "question": question, "sub_question": sub_question}
        found: list[Passage] = []
        if self.retrieval:
            with self.searching():
                found = [hit.passage for hit in await self.find(sub_question, self.k)]
            inputs["passages"] = found
        said = await self.attempt(self.answer, **inputs)
        if said is None:
            return Step(sub_question, passages=tuple(found))
        return Step(sub_question, (said.get("sentence") or "").strip(), said.result.strip(), tuple(found))

    async def scored(self, question: str, path: Path) -> float:
        """How far the path helps to answer the question, from 0 to 1; 0 if the LM gives no number."""
        said = await self.attempt(self.evaluate, check=read_score, history=told(path), question=question)
        return read_score(said) if said else 0.0

    async def read_path(
        self, question: str, path: Path, made: Lookup, tree: PathTree, **counts: float
    ) -> dspy.Prediction:
        """The answer from the path's passages and history; what led along the path is kept for optimizers."""
        current_branch.get().steps.append({"step": "tree", "tree": drawn(tree, path)})
        keep(branch for key in self.calls_behind(path) if (branch := made.branch(key)) is not None)
        passages = list({passage.id: passage for step in path for passage in step.passages}.values())
        return dspy.Prediction(
            answer=await self.read_answer(question, path, passages),
            passages=passages,
            evidence=[step.recorded for step in path],
            counts=counts,
        )

    async def read_answer(self, question: str, path: Path, passages: list[Passage]) -> str:
        """The answer, from the passages and the history."""
        inputs: dict[str, Any] = {"history": told(path), "question": question}
        if self.retrieval:
            inputs["passages"] = passages
        return str((await self.ask(self.read, **inputs)).answer)

    def calls_behind(self, path: Path) -> Iterable[Hashable]:
        """The keys of the calls that made the path, in order."""
        for length, step in enumerate(path):
            history = path[:length]
            yield "propose", told(history)
            yield "plan", told(history)
            yield "move", told(self.leant_on(history, step.sub_question)), wording(step.sub_question)
        yield "score", told(path)

    def decisions(self, question: str, prediction: dspy.Prediction, trace: Any) -> list[Decision]:
        """Each state of the path that was read, with the sub-question that followed, as the planner would put it."""
        found = {passage.id: passage for passage in prediction.passages}
        path = tuple(
            Step(**{**step, "passages": tuple(found[name] for name in step["passages"])})
            for step in prediction.evidence
        )
        return [self.planned_as(question, path[:place], step) for place, step in enumerate(path)]

    def planned_as(self, question: str, path: Path, step: Step) -> Decision:
        """The decision for a step, in the words of the planner's signature."""
        inputs = {"history": list(told(path)), "question": question}
        return Decision("plan", inputs, {"sub_question": step.sub_question})

    @property
    def out_of_budget(self) -> bool:
        """Whether the budget of the question that is being answered has run out."""
        return current_branch.get().account.over_budget


def told(path: Iterable[object]) -> tuple[str, ...]:
    """The steps as a prompt shows them; two paths told alike are one state."""
    return tuple(map(str, path))


def distinct(texts: Sequence[str]) -> list[str]:
    """The texts that are not blank, each once, whatever its spacing and case."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(wording(text), text.strip())
    return [text for text in first.values() if text]
