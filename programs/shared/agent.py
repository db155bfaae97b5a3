"""An agent that searches and finishes, as a decision process: the actions, transitions and rewards of a tree search."""

from dataclasses import field
from typing import NamedTuple

import dspy

from ...base import InputError
from ...retrieval import Passage, RetrieverLike
from ...runtime import Decision, Lookup, Number, PathStepRecord
from ...signatures import EvaluateActions, ReflectOnActions, ThinkAndActAgain
from ..search import Moves
from .actions import Action, Finish, Search, action_of, read_action
from .evidence import wording
from .path import PathStep, StepPath, path_texts
from .sub_questions import SubQuestionSearch


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

        async def propose(path: StepPath) -> list[Choice]:
            choice = await plan(path)
            return [choice] if choice else []

        async def plan(path: StepPath) -> Choice | None:
            return await lookup.once(("plan", path_texts(path)), lambda: self.plan_action(question, path, []))

        async def move(path: StepPath, choice: Choice) -> PathStep:
            return await self.move_on(question, lookup, path, choice)

        async def score(path: StepPath) -> float:
            return await lookup.once(("score", path_texts(path)), lambda: self.score_path(question, path))

        return Moves(
            propose=propose, plan=plan, move=move, score=score, ends=finishes, depth=self.depth, breadth=self.candidates
        )

    async def move_on(self, question: str, lookup: Lookup, path: StepPath, choice: Choice) -> PathStep:
        """Take the action, or look it up among those taken already."""
        history = self.history_for(path, str(choice))
        key = ("move", path_texts(history), wording(str(choice)))
        turn = await lookup.once(key, lambda: self.take_action(question, history, choice.action))
        return turn._replace(thought=choice.thought, draw=choice.draw)

    async def plan_action(self, question: str, path: StepPath, lessons: list[str], draw: int = 0) -> Choice | None:
        """The one action that comes next, written as those that are proposed, and what led to it."""
        turn = await self.attempt(
            self.ask(self.plan, draw=draw, history=self.describe(path), reflections=lessons, question=question)
        )
        action = action_of(turn) if turn else None
        action = action and read_action(str(action))
        return Choice(action, turn.thought.strip(), draw) if turn and action else None

    async def take_action(self, question: str, path: StepPath, action: Action) -> PathStep:
        """The action, done."""
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

    def restore_step(self, record: PathStepRecord, passages: tuple[Passage, ...]) -> PathStep:
        """The step that was recorded as `record`, with the passages that it names."""
        action = read_action(record["sub_question"])
        if action is None:
            raise InputError(f"'{record['sub_question']}' is no action: it would be 'search: ...' or 'finish: ...'.")
        return PathStep(action, result=record["result"], passages=passages, thought=record.get("thought", ""))

    def decision_for(self, question: str, path: StepPath, step: PathStep) -> Decision:
        """The decision for an action, in the words of the planner's signature."""
        inputs = {"history": self.describe(path), "reflections": [], "question": question}
        query = step.act.query if isinstance(step.act, Search) else ""
        answer = step.act.answer if isinstance(step.act, Finish) else ""
        acts = {"action": "search" if query else "finish", "query": query, "answer": answer}
        return Decision("plan", inputs, {"thought": step.thought, **acts})

    async def read_answer(self, question: str, path: StepPath, passages: list[Passage]) -> str:
        """The answer the path finishes with; read from the passages if it does not finish."""
        if path and finishes(path[-1]):
            return path[-1].result
        return await super().read_answer(question, path, passages)


class LearningAgent(SearchAndFinish):
    """An agent that reflects on ends that failed, and is shown what it said of the latest."""

    reflections: Number = 3
    """The number of reflections shown, the latest."""

    def set_up(self) -> None:
        """Set up the agent."""
        super().set_up()
        self.reflect = dspy.Predict(ReflectOnActions)

    def latest(self, lessons: list[str]) -> list[str]:
        """As many of the lessons as are shown."""
        return lessons[-self.reflections :] if self.reflections else []

    async def reflect_on(self, question: str, path: StepPath) -> str:
        """The lesson of a failed end; empty if the LM does not say."""
        lesson = await self.attempt(self.ask(self.reflect, history=self.describe(path), question=question))
        return lesson.reflection.strip() if lesson else ""


def turn_lines(turn: PathStep) -> list[str]:
    """The thought, if there is one, and the action with its result."""
    return [f"Thought: {turn.thought}", str(turn)] if turn.thought else [str(turn)]


def finishes(turn: PathStep) -> bool:
    """True if the turn ends its path."""
    return isinstance(turn.act, Finish)
