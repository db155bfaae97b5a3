"""Answering by sub-questions as a decision process: states, actions, transitions and rewards for any tree search.

A state is the question and the steps so far; an action is a sub-question; a transition retrieves for it and answers it;
the reward is the LM's own score of how far the steps help. Gold is never seen. Which tree is searched, and how, is up
to the methods: MCTS, breadth-first and depth-first search share these prompts.
"""

import re
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

import dspy

from ...retrieval import Passage, RetrieverLike, by_rank
from ...runtime import Count, Decision, Lookup, Program
from ...signatures import (
    AnswerStep,
    AnswerStepFromMemory,
    EvaluateHistory,
    NextSubQuestion,
    ProposeSubQuestions,
    ReadPath,
    ReadSteps,
)
from ...signatures.output_types import HIGHEST
from ..search import Moves, Scored, Visited
from .evidence import STOPS, Stop, repeats, stop, wording

Item = TypeVar("Item")
PathTree = Visited[Any] | Scored[Any]
Work = Callable[..., Coroutine[Any, Any, Any]]

_LEANS_ON_HISTORY = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|there|then|former|latter|same)\b",
    re.IGNORECASE,
)


class PathStep(NamedTuple):
    """One step of a path, with its result."""

    act: Any
    """The sub-question, thought or action; as text, it tells one act from another."""
    sentence: str = ""
    """The sentence that answers a sub-question, where passages were read."""
    result: str = ""
    """The answer to a sub-question, the titles that a search found, or the answer with which a path finishes."""
    passages: tuple[Passage, ...] = ()
    """The passages retrieved for it."""
    confidence: float = 1.0
    """The share of its answers that say the same, where several were drawn."""
    thought: str = ""
    """The thought that led to an action; empty where there is none."""
    draw: int = 0
    """The number of the sample that an action is."""

    @property
    def record(self) -> dict[str, Any]:
        """The step as plain values, its passages by id: a `PathStepRecord` of the runtime."""
        record = {"sub_question": str(self.act), "sentence": self.sentence, "result": self.result}
        thought = {"thought": self.thought} if self.thought else {}
        return {**record, "passages": [passage.id for passage in self.passages], **thought}

    def __str__(self) -> str:
        """The step as a prompt shows it."""
        return f"{self.act} -> {self.result or 'not found'}"


StepPath = tuple[PathStep, ...]


def path_texts(path: Iterable[object]) -> tuple[str, ...]:
    """The path as a prompt shows it; two paths that read alike are one state."""
    return tuple(map(str, path))


def distinct(items: Iterable[Item]) -> list[Item]:
    """The items of which no earlier one reads the same, whatever its spacing and case."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(wording(str(item)), item)
    return list(first.values())


def read_score(verdict: dspy.Prediction) -> float:
    """The prediction's `score`, from 0 to 10, as a number from 0 to 1."""
    return float(verdict.score) / HIGHEST


class SubQuestionSearch(Program):
    """The moves of a search over sub-questions, and the reading of the path it chose."""

    small = {"depth": 2, "candidates": 2}
    planner = "plan"
    clone = "mzqa-bc"
    proposes = "sub_questions"
    """The output of the step `propose` that lists what could come next."""

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
    reuse: Literal["none", "transitions", "self-contained"] = "transitions"
    """The calls that are not made twice: "none" makes every call; "transitions" looks up the same call after the same
    history; "self-contained" also shares the answer of a sub-question that does not lean on its history, which is then
    not shown."""
    stops: tuple[Stop, ...] = STOPS
    """The rules that end a search, or one branch of it, early: at a query or sub-question that was asked before
    ("repeats"), and after a round that brings nothing that was not known ("nothing-new")."""

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
        answer = looked_up(lookup, "move", partial(self.answer_sub_question, question))
        return Moves(
            propose=looked_up(lookup, "propose", partial(self.propose_texts, question)),
            plan=looked_up(lookup, "plan", partial(self.plan_sub_question, question)),
            move=lambda path, sub_question: answer(self.history_for(path, sub_question), sub_question),
            score=looked_up(lookup, "score", partial(self.score_path, question)),
            depth=self.depth,
            breadth=self.candidates,
        )

    def pruned(self, moves: Moves[Any, Any]) -> Moves[Any, Any]:
        """The moves without an act that is on the path, and none after a step that brought nothing new (`stops`)."""

        def over(path: StepPath) -> bool:
            return stop(self, "nothing-new", self.is_idle(path), "All that the step found was known.")

        async def propose(path: StepPath) -> Sequence[Any]:
            if over(path):
                return []
            acts = await moves.propose(path)
            if "repeats" not in self.stops:
                return acts
            taken = {wording(str(step.act)) for step in path}
            return [act for act in acts if wording(str(act)) not in taken]

        async def plan(path: StepPath) -> Any:
            act = None if over(path) else await moves.plan(path)
            return None if act is None or repeats(self, str(act), (str(step.act) for step in path)) else act

        return replace(moves, propose=propose, plan=plan)

    def is_idle(self, path: StepPath) -> bool:
        """True if the last step found no passage and no result that the path did not have."""
        if len(path) < 2:
            return False
        *earlier, last = path
        known = {passage.id for step in earlier for passage in step.passages}
        said = {"", *(wording(step.result) for step in earlier)}
        return bool(last.passages) and all(each.id in known for each in last.passages) and wording(last.result) in said

    def history_for(self, path: StepPath, act: object) -> StepPath:
        """The steps that the answer of a sub-question may lean on."""
        alone = self.reuse == "self-contained" and not _LEANS_ON_HISTORY.search(str(act))
        return () if alone else path

    def calls_of_move(self) -> int:
        """LM calls that one transition takes at most."""
        return 1

    def calls_of_score(self) -> int:
        """LM calls that the score of one path takes at most."""
        return 1

    async def propose_texts(self, question: str, path: StepPath) -> list[str]:
        """Different sub-questions that could come next, or what else the step `propose` lists."""
        proposal = await self.attempt(
            self.ask(self.propose, history=self.describe(path), number=self.candidates, question=question)
        )
        texts = [text.strip() for text in distinct(proposal[self.proposes] if proposal else ())]
        return [text for text in texts if text][: self.candidates]

    async def plan_sub_question(self, question: str, path: StepPath) -> str | None:
        """The one sub-question that comes next."""
        plan = await self.attempt(self.ask(self.plan, **self.plan_inputs(question, path)))
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

    async def score_path(self, question: str, path: StepPath, **more_inputs: Any) -> float:
        """The score of the path, from 0 to 1, by how far it helps to answer; 0 if the LM gives no number."""
        inputs = {"history": self.describe(path), **more_inputs, "question": question}
        verdict = await self.attempt(self.ask(self.evaluate, **inputs))
        return read_score(verdict) if verdict else 0.0

    def describe(self, path: StepPath) -> Sequence[str]:
        """The path as the steps that lengthen or score it are shown it."""
        return path_texts(path)

    async def read_path(
        self, question: str, path: StepPath, lookup: Lookup, tree: PathTree, **counts: float
    ) -> dspy.Prediction:
        """The answer from the path's passages and history; what led along the path is kept for optimizers."""
        self.record({"step": "tree", "tree": draw_path_tree(tree, path)})
        lookup.keep(self.calls_behind(path))
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

    def calls_behind(self, path: StepPath) -> Iterator[Hashable]:
        """The keys of the calls that made the path, in order."""
        for length, step in enumerate(path):
            history = path[:length]
            yield "propose", path_texts(history)
            yield "plan", path_texts(history)
            yield "move", path_texts(self.history_for(history, step.act)), wording(str(step.act))
        yield "score", path_texts(path)

    def decisions(self, question: str, prediction: dspy.Prediction) -> list[Decision]:
        """Each state of the path that was read, with the sub-question that followed, as the planner would put it."""
        by_id = {passage.id: passage for passage in prediction.passages}
        decisions: list[Decision] = []
        path: StepPath = ()
        for record in prediction.evidence:
            passages = tuple(by_id[name] for name in record["passages"])
            text, thought = record["sub_question"], record.get("thought", "")
            decisions.append(Decision("plan", self.plan_inputs(question, path), self.planned(text, thought)))
            path = (*path, PathStep(text, record["sentence"], record["result"], passages, thought=thought))
        return decisions

    def plan_inputs(self, question: str, path: StepPath) -> dict[str, Any]:
        """The inputs of the planner at a state."""
        return {"history": list(self.describe(path)), "question": question}

    def planned(self, act: str, thought: str) -> dict[str, Any]:
        """The planner's outputs where it decides for an act."""
        return {"sub_question": act}


def looked_up(lookup: Lookup, name: str, work: Work) -> Work:
    """The work on a path, and on an act after it, done once for all that read the same."""

    def ask(path: StepPath, *acts: object) -> Coroutine[Any, Any, Any]:
        key = (name, path_texts(path), *(wording(str(act)) for act in acts))
        return lookup.once(key, lambda: work(path, *acts))

    return ask


def draw_path_tree(node: PathTree, chosen: tuple[Any, ...]) -> dict[str, Any]:
    """The tree from this node on, as plain values: a `SearchedNode` of the runtime."""
    about: dict[str, Any] = dict(node.path[-1].record) if node.path else {}
    if isinstance(node, Visited):
        about |= {"visits": node.visits, "value": round(node.value, 6), "iteration": node.iteration}
        about["reward"] = node.reward
        about["rollout"] = [step.record for step in node.rollout]
    else:
        about |= {"reward": node.score, "kept": node.kept}
    about["chosen"] = chosen[: len(node.path)] == node.path
    return {**about, "children": [draw_path_tree(child, chosen) for child in node.children]}
