"""Answering by sub-questions as a decision process: states, actions, transitions and rewards for any tree search.

A state is the question and the steps so far; an action is a sub-question; a transition retrieves for it and answers it;
the reward is the LM's own score of how far the steps help. Gold is never seen. Which tree is searched, and how, is up
to the methods: MCTS, breadth-first and depth-first search share these prompts.
"""

import re
from collections.abc import Coroutine, Hashable, Iterable, Sequence
from dataclasses import field
from typing import Any, Literal

import dspy

from ...retrieval import Passage, RetrieverLike, by_rank
from ...runtime import Count, Decision, Lookup, PathStepRecord, TreeStep, keep
from ...signatures import (
    AnswerStep,
    AnswerStepFromMemory,
    EvaluateHistory,
    NextSubQuestion,
    ProposeSubQuestions,
    ReadPath,
    ReadSteps,
)
from ..search import Moves
from .evidence import wording
from .path import PathStep, PathTree, StepPath, distinct, draw_path_tree, path_texts, read_score
from .stopping import StopsEarly, ending_early, is_idle

Reuse = Literal["none", "transitions", "self-contained"]

_LEANS_ON_HISTORY = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|there|then|former|latter|same)\b",
    re.IGNORECASE,
)


class SubQuestionSearch(StopsEarly):
    """The moves of a search over sub-questions, and the reading of the path it chose."""

    small = {"depth": 2, "candidates": 2}
    planner = "plan"
    clone = "mzqa-bc"

    retriever: RetrieverLike | None = field(default=None, kw_only=False)
    """The retriever that finds the passages; not needed without `retrieval`."""
    retrieval: bool = True
    """True to answer sub-questions from retrieved passages, False to answer from the LM's memory."""
    k: Count = 6
    """Passages to retrieve for a sub-question."""
    depth: Count = 4
    """The longest path, in sub-questions."""
    candidates: Count = 5
    """Sub-questions to propose at a time."""
    reuse: Reuse = "transitions"
    """The calls that are not made twice: "none" makes every call; "transitions" looks up the same call after the same
    history; "self-contained" also shares the answer of a sub-question that does not lean on its history, which is then
    not shown."""

    def check_retriever(self) -> None:
        """Make sure that there is a retriever, or none without `retrieval`."""
        self.retrieves = self.retrieval
        if not self.retrieval:
            self.retriever = None
        super().check_retriever()

    def set_up(self) -> None:
        """Set up the steps."""
        self.propose = dspy.Predict(ProposeSubQuestions)
        self.plan = dspy.Predict(NextSubQuestion)
        self.answer = dspy.Predict(AnswerStep if self.retrieval else AnswerStepFromMemory)
        self.evaluate = dspy.ChainOfThought(EvaluateHistory)
        self.read = dspy.Predict(ReadPath if self.retrieval else ReadSteps)

    def lookup(self) -> Lookup:
        """An empty table of calls, for one question."""
        return Lookup(sharing=self.reuse != "none")

    def moves(self, question: str, lookup: Lookup) -> Moves[Any, Any]:
        """The moves of a search, each call looked up among those already made."""

        def propose(path: StepPath) -> Coroutine[Any, Any, list[str]]:
            return lookup.once(("propose", path_texts(path)), lambda: self.propose_sub_questions(question, path))

        def plan(path: StepPath) -> Coroutine[Any, Any, str | None]:
            return lookup.once(("plan", path_texts(path)), lambda: self.plan_sub_question(question, path))

        def move(path: StepPath, sub_question: str) -> Coroutine[Any, Any, PathStep]:
            history = self.history_for(path, sub_question)
            return lookup.once(
                ("move", path_texts(history), wording(sub_question)),
                lambda: self.answer_sub_question(question, history, sub_question),
            )

        def score(path: StepPath) -> Coroutine[Any, Any, float]:
            return lookup.once(("score", path_texts(path)), lambda: self.score_path(question, path))

        return Moves(propose=propose, plan=plan, move=move, score=score, depth=self.depth, breadth=self.candidates)

    def pruned_moves(self, question: str, lookup: Lookup) -> Moves[Any, Any]:
        """The moves, but that a path ends where it repeats itself, as the setting `stops` has it."""
        return ending_early(self.moves(question, lookup), self, self.is_idle)

    def is_idle(self, path: StepPath) -> bool:
        """True if the last step of the path brought nothing new."""
        return is_idle(path)

    def history_for(self, path: StepPath, sub_question: str) -> StepPath:
        """The steps that the answer of a sub-question may lean on."""
        alone = self.reuse == "self-contained" and not _LEANS_ON_HISTORY.search(sub_question)
        return () if alone else path

    def calls_of_move(self) -> int:
        """LM calls that one transition takes at most."""
        return 1

    def calls_of_score(self) -> int:
        """LM calls that the score of one path takes at most."""
        return 1

    async def propose_sub_questions(self, question: str, path: StepPath) -> list[str]:
        """Different sub-questions that could come next."""
        proposal = await self.attempt(
            self.ask(self.propose, history=self.describe(path), number=self.candidates, question=question)
        )
        texts = [text.strip() for text in distinct(proposal.sub_questions if proposal else ())]
        return [text for text in texts if text][: self.candidates]

    async def plan_sub_question(self, question: str, path: StepPath) -> str | None:
        """The one sub-question that comes next."""
        plan = await self.attempt(self.ask(self.plan, history=self.describe(path), question=question))
        return plan.sub_question.strip() or None if plan else None

    async def answer_sub_question(self, question: str, path: StepPath, sub_question: str, draw: int = 0) -> PathStep:
        """The sub-question, answered; with a `draw`, by one of several answers."""
        inputs: dict[str, Any] = {"history": path_texts(path), "question": question, "sub_question": sub_question}
        passages: tuple[Passage, ...] = ()
        if self.retrieval:
            hits = await self.attempt(self.find(sub_question, self.k))
            passages = tuple(hit.passage for hit in hits or ())
            inputs["passages"] = passages
        answer = await self.attempt(self.ask(self.answer, draw=draw, **inputs))
        if answer is None:
            return PathStep(sub_question, passages=passages)
        return PathStep(sub_question, (answer.get("sentence") or "").strip(), answer.result.strip(), passages)

    async def score_path(self, question: str, path: StepPath) -> float:
        """The score of the path, from 0 to 1, by how far it helps to answer; 0 if the LM gives no number."""
        verdict = await self.attempt(self.ask(self.evaluate, history=self.describe(path), question=question))
        return read_score(verdict) if verdict else 0.0

    def describe(self, path: StepPath) -> Sequence[str]:
        """The path as the steps that lengthen or score it are shown it."""
        return path_texts(path)

    async def read_path(
        self, question: str, path: StepPath, lookup: Lookup, tree: PathTree, **counts: float
    ) -> dspy.Prediction:
        """The answer from the path's passages and history; what led along the path is kept for optimizers."""
        self.record(TreeStep(step="tree", tree=draw_path_tree(tree, path)))
        keep(branch for key in self.calls_behind(path) if (branch := lookup.branch(key)) is not None)
        passages = by_rank(step.passages for step in path)
        return dspy.Prediction(
            answer=await self.read_answer(question, path, passages),
            passages=passages,
            evidence=[step.record for step in path],
            counts=counts,
        )

    async def read_answer(self, question: str, path: StepPath, passages: list[Passage]) -> str:
        """The answer, from the passages and the history."""
        inputs: dict[str, Any] = {"history": path_texts(path), "question": question}
        if self.retrieval:
            inputs["passages"] = passages
        return str((await self.ask(self.read, **inputs)).answer)

    def calls_behind(self, path: StepPath) -> Iterable[Hashable]:
        """The keys of the calls that made the path, in order."""
        for length, step in enumerate(path):
            history = path[:length]
            yield "propose", path_texts(history)
            yield "plan", path_texts(history)
            act = str(step.act)
            yield "move", path_texts(self.history_for(history, act)), wording(act)
        yield "score", path_texts(path)

    def decisions(self, question: str, prediction: dspy.Prediction) -> list[Decision]:
        """Each state of the path that was read, with the sub-question that followed, as the planner would put it."""
        by_id = {passage.id: passage for passage in prediction.passages}
        path = tuple(
            self.restore_step(record, tuple(by_id[name] for name in record["passages"]))
            for record in prediction.evidence
        )
        return [self.decision_for(question, path[:place], step) for place, step in enumerate(path)]

    def restore_step(self, record: PathStepRecord, passages: tuple[Passage, ...]) -> PathStep:
        """The step that was recorded as `record`, with the passages that it names."""
        return PathStep(record["sub_question"], record["sentence"], record["result"], passages)

    def decision_for(self, question: str, path: StepPath, step: PathStep) -> Decision:
        """The decision for a step of the path, in the words of the planner's signature."""
        inputs = {"history": list(self.describe(path)), "question": question}
        return Decision("plan", inputs, {"sub_question": step.act})
