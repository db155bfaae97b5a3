"""An agent that searches and finishes, as a decision process: the actions, transitions and rewards of a tree search."""

from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple

import dspy

from ...base import InputError
from ...retrieval import Passage, RetrieverLike
from ...runtime import Lookup
from ...signatures import EvaluateActions, ThinkAndActAgain
from ..search import Moves
from .actions import Action, Finish, Search, action_of, read_action
from .sub_questions import PathStep, StepPath, SubQuestionSearch, looked_up


class Choice(NamedTuple):
    """An action that was chosen, before it is taken."""

    action: Action
    """The action."""
    thought: str = ""
    """The thought that led to it."""
    draw: int = 0
    """The number of the sample that it is."""

    def __str__(self) -> str:
        """The action alone: what tells one choice from another."""
        return str(self.action)


class SearchAndFinish(SubQuestionSearch):
    """The moves of a search over actions: to search, whose result are the passages themselves, and to finish."""

    clone = "lats-bc"

    retriever: RetrieverLike | None = field(default=None, kw_only=False)
    """The retriever that finds the passages; without `retrieval`, what is searched for is told from memory."""

    def set_up(self) -> None:
        """Set up the agent."""
        super().set_up()
        del self.propose  # one action at a time
        self.unasked = "answer" if self.retrieval else ""
        self.plan = dspy.Predict(ThinkAndActAgain)
        self.evaluate = dspy.ChainOfThought(EvaluateActions)

    def is_idle(self, path: StepPath) -> bool:
        """False: after a search that finds nothing new the agent may still finish."""
        return False

    def calls_of_move(self) -> int:
        """A search shows what it found as it is; without a retriever it is told from memory."""
        return 0 if self.retrieval else 1

    def moves(self, question: str, lookup: Lookup) -> Moves[Choice, PathStep]:
        """The moves of an agent that learns nothing on the way; only the planner names actions."""
        plan = looked_up(lookup, "plan", partial(self.plan_action, question))
        take = looked_up(lookup, "move", partial(self.take_action, question))

        async def propose(path: StepPath) -> list[Choice]:
            choice = await plan(path)
            return [choice] if choice else []

        async def move(path: StepPath, choice: Choice) -> PathStep:
            turn: PathStep = await take(self.history_for(path, choice), choice)
            return turn._replace(thought=choice.thought, draw=choice.draw)

        return replace(super().moves(question, lookup), propose=propose, plan=plan, move=move, ends=finishes)

    async def plan_action(
        self, question: str, path: StepPath, lessons: Sequence[str] = (), draw: int = 0
    ) -> Choice | None:
        """The one action that comes next, written as those that are proposed, and what led to it."""
        inputs = {**self.plan_inputs(question, path), "reflections": list(lessons)}
        turn = await self.attempt(self.ask(self.plan, draw=draw, **inputs))
        action = action_of(turn) if turn else None
        action = action and read_action(str(action))
        return Choice(action, turn.thought.strip(), draw) if turn and action else None

    async def take_action(self, question: str, path: StepPath, choice: Choice) -> PathStep:
        """The action, done."""
        action = choice.action
        if isinstance(action, Finish):
            return PathStep(action, result=action.answer)
        if not self.retrieval:
            return PathStep(action, result=(await self.answer_sub_question(question, path, action.query)).result)
        hits = await self.attempt(self.find(action.query, self.k))
        passages = tuple(hit.passage for hit in hits or ())
        titles = "; ".join(passage.title or passage.id for passage in passages)
        return PathStep(action, result=titles, passages=passages)

    def describe(self, path: StepPath) -> list[str]:
        """Thoughts, actions and the passages they found, as a prompt shows them."""
        return [line for turn in path for line in (*turn_lines(turn), *map(str, turn.passages))]

    def plan_inputs(self, question: str, path: StepPath) -> dict[str, Any]:
        """The inputs of the planner at a state, before it has learned anything."""
        return {"history": self.describe(path), "reflections": [], "question": question}

    def planned(self, act: str, thought: str) -> dict[str, Any]:
        """The planner's outputs where it decides for an action."""
        match read_action(act):
            case Search(query):
                return {"thought": thought, "action": "search", "query": query, "answer": ""}
            case Finish(answer):
                return {"thought": thought, "action": "finish", "query": "", "answer": answer}
        raise InputError(f"'{act}' is no action: it would be 'search: ...' or 'finish: ...'.")

    async def read_answer(self, question: str, path: StepPath, passages: list[Passage]) -> str:
        """The answer the path finishes with; read from the passages if it does not finish."""
        if path and finishes(path[-1]):
            return path[-1].result
        return await super().read_answer(question, path, passages)

    def latest(self, lessons: list[str]) -> list[str]:
        """The lessons that an agent with the setting `reflections` is shown, the last of them."""
        return lessons[-self.reflections :] if self.reflections else []

    async def reflect_on(self, question: str, path: StepPath) -> str:
        """The lesson of a failed end, of an agent with the step `reflect`; empty if the LM does not say."""
        lesson = await self.attempt(self.ask(self.reflect, history=self.describe(path), question=question))
        return lesson.reflection.strip() if lesson else ""


def turn_lines(turn: PathStep) -> list[str]:
    """The thought, if there is one, and the action with its result."""
    return [f"Thought: {turn.thought}", str(turn)] if turn.thought else [str(turn)]


def finishes(turn: PathStep) -> bool:
    """True if the turn ends its path."""
    return isinstance(turn.act, Finish)
