"""LATS: Monte-Carlo tree search over searching and finishing, with values and reflections by the LM itself.

Andy Zhou et al., "Language Agent Tree Search Unifies Reasoning, Acting, and Planning in Language Models" (2024),
section 4.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Unpack

import dspy
from pydantic import Field

from ...base import InputError
from ...retrieval import Passage, RetrieverLike
from ...runtime import Decision, Lookup, PathStepRecord, Share
from ...signatures import EvaluateActions, ProposeActions, ReflectOnActions, ThinkAndActAgain
from ..mzqa import MZQA, ClonedMZQA, TreeSettings
from ..search import Moves
from ..shared.evidence import wording
from ..shared.path import ItemPath, PathItem, distinct, path_texts
from ..shared.sub_questions import SubQuestionSearch, SubQuestionSettings
from .actions import Action, Finish, Search, action_of, read_action


class Turn(NamedTuple):
    """One action with what came of it."""

    act: Action
    """What was done."""
    result: str = ""
    """The titles of what a search found, or the answer with which the path finishes."""
    passages: tuple[Passage, ...] = ()
    """What a search found."""

    @property
    def record(self) -> PathStepRecord:
        """The turn as plain values, its passages by id."""
        passages = [passage.id for passage in self.passages]
        return {"sub_question": str(self.act), "sentence": "", "result": self.result, "passages": passages}

    def __str__(self) -> str:
        """The turn as a prompt shows it."""
        return f"{self.act} -> {self.result or 'not found'}"


Number = Annotated[int, Field(ge=0)]
FAILED_BELOW = 0.5
"""From this score on, an end has not failed."""


class AgentTreeSettings(TreeSettings, SubQuestionSettings, total=False):
    """What a tree search over actions can be set to."""

    failed_below: Share
    """Ends scored lower than this, from 0 to 1, are reflected on."""
    reflections: Number
    """How many reflections are shown, the latest."""


class SearchAndFinish(SubQuestionSearch):
    """The moves of a search over actions: to search, whose result are the passages themselves, and to finish."""

    clone = "lats-bc"

    def __init__(
        self,
        retriever: RetrieverLike | None = None,
        *,
        failed_below: Share = FAILED_BELOW,
        reflections: Number = 3,
        **settings: Any,
    ) -> None:
        """Set up the agent.

        Args:
            retriever: Where the passages come from; without `retrieval`, what is searched for is told from memory.
            failed_below: Ends scored lower than this, from 0 to 1, are reflected on.
            reflections: How many reflections are shown, the latest.
            **settings: What the search beside it takes; the programs below say which.
        """
        super().__init__(retriever, **settings)
        self.failed_below, self.reflections = failed_below, reflections
        self.propose = dspy.Predict(ProposeActions)
        self.plan = dspy.Predict(ThinkAndActAgain)
        self.evaluate = dspy.ChainOfThought(EvaluateActions)
        self.reflect = dspy.Predict(ReflectOnActions)

    def calls_of_move(self) -> int:
        """A search shows what it found as it is; without a retriever it is told from memory."""
        return 0 if self.retrieval else 1

    def calls_of_score(self) -> int:
        """One, and one for the reflection on a failed end."""
        return 2 if self.reflections else 1

    def moves(self, question: str, lookup: Lookup) -> Moves[Action, Turn]:
        """The moves of a search over actions; what was learnt from failed ends is kept beside them."""
        learned: list[tuple[int, tuple[str, ...], str]] = []
        lessons_at: dict[ItemPath, list[str]] = {}

        def lessons(path: ItemPath) -> list[str]:
            """What was known when the expansion that this path came from began."""
            return next((lessons_at[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lessons_at), [])

        async def propose(path: ItemPath) -> Sequence[Action]:
            lessons_at[path] = [text for *_, text in sorted(learned)][-self.reflections :] if self.reflections else []
            key = ("propose", path_texts(path), tuple(lessons_at[path]))
            return await lookup.once(key, lambda: self.propose_actions(question, path, lessons_at[path]))

        async def plan(path: ItemPath) -> Action | None:
            texts = lessons(path)
            key = ("plan", path_texts(path), tuple(texts))
            return await lookup.once(key, lambda: self.plan_action(question, path, texts))

        async def move(path: ItemPath, action: Action) -> Turn:
            history = self.history_for(path, str(action))
            key = ("move", path_texts(history), wording(str(action)))
            return await lookup.once(key, lambda: self.take_action(question, history, action))

        async def score(path: ItemPath) -> float:
            reward = await lookup.once(("score", path_texts(path)), lambda: self.score_path(question, path))
            if reward < self.failed_below and self.reflections:
                reflection = await lookup.once(("reflect", path_texts(path)), lambda: self.reflect_on(question, path))
                lesson = (len(lessons_at), path_texts(path), reflection)
                if reflection and not any(known[1:] == lesson[1:] for known in learned):
                    learned.append(lesson)
            return reward

        return Moves(
            propose=propose,
            plan=plan,
            move=move,
            score=score,
            ends=finishes,
            depth=self.depth,
            breadth=self.candidates,
        )

    async def propose_actions(self, question: str, path: ItemPath, lessons: list[str]) -> list[Action]:
        """Different actions that could come next."""
        proposal = await self.attempt(
            self.ask(
                self.propose,
                history=self.describe(path),
                reflections=lessons,
                number=self.candidates,
                question=question,
            )
        )
        actions = [read_action(text) for text in (proposal.actions if proposal else ())]
        return distinct(action for action in actions if action is not None)[: self.candidates]

    async def plan_action(self, question: str, path: ItemPath, lessons: list[str]) -> Action | None:
        """The one action that comes next, written as those that are proposed."""
        turn = await self.attempt(
            self.ask(self.plan, history=self.describe(path), reflections=lessons, question=question)
        )
        action = action_of(turn) if turn else None
        return action and read_action(str(action))

    async def take_action(self, question: str, path: ItemPath, action: Action) -> Turn:
        """The action, done."""
        if isinstance(action, Finish):
            return Turn(action, action.answer)
        if not self.retrieval:
            return Turn(action, (await self.answer_sub_question(question, path, action.query)).result)
        hits = await self.attempt(self.find(action.query, self.k))
        passages = tuple(hit.passage for hit in hits or ())
        return Turn(action, "; ".join(passage.title or passage.id for passage in passages), passages)

    async def reflect_on(self, question: str, path: ItemPath) -> str:
        """What a failed end teaches."""
        lesson = await self.attempt(self.ask(self.reflect, history=self.describe(path), question=question))
        return lesson.reflection.strip() if lesson else ""

    def describe(self, path: ItemPath) -> list[str]:
        """Actions and the passages they found, as a prompt shows them."""
        return [text for turn in path for text in (str(turn), *map(str, turn.passages))]

    def restore_step(self, record: PathStepRecord, passages: tuple[Passage, ...]) -> Turn:
        """What was recorded as `record`, with the passages that it names."""
        action = read_action(record["sub_question"])
        if action is None:
            raise InputError(f"'{record['sub_question']}' is no action: it would be 'search: ...' or 'finish: ...'.")
        return Turn(action, record["result"], passages)

    def decision_for(self, question: str, path: ItemPath, step: PathItem) -> Decision:
        """The decision for an action, in the words of the planner's signature."""
        inputs = {"history": self.describe(path), "reflections": [], "question": question}
        query = step.act.query if isinstance(step.act, Search) else ""
        answer = step.act.answer if isinstance(step.act, Finish) else ""
        action = "search" if query else "finish"
        return Decision("plan", inputs, {"thought": "", "action": action, "query": query, "answer": answer})

    async def read_answer(self, question: str, path: ItemPath, passages: list[Passage]) -> str:
        """The answer the path finishes with; read from the passages if it does not finish."""
        if path and finishes(path[-1]):
            return path[-1].result
        return await super().read_answer(question, path, passages)


class LanguageAgentTreeSearch(SearchAndFinish, MZQA):
    """The answer with which the most valuable path of searches finishes.

    The search is that of `mzqa`; its actions are to search and to finish. The LM scores each path by itself; on an end
    that it scores below `failed_below` it reflects, and later iterations are shown the latest `reflections`. If the
    chosen path does not finish, its passages are read.

    Differs from the paper: no end is compared with the gold answer, which its public code does to stop and to reflect;
    several actions are proposed in one call instead of sampled one by one. Reflections of one iteration are shown from
    the next one on, so that the tree does not depend on which call is faster.
    """

    name = "lats"
    paper = "LATS (Zhou et al., 2024)"
    calls = "a search: 1 an expansion, 1 a simulated action, 1 a score, 1 a failed end, 1 to read"

    def __init__(self, retriever: RetrieverLike | None = None, **settings: Unpack[AgentTreeSettings]) -> None:
        """Set up the agent and its search.

        Args:
            retriever: Where the passages come from; without `retrieval`, what is searched for is told from memory.
            **settings: See `AgentTreeSettings`.
        """
        super().__init__(retriever, **settings)


class ClonedAgent(SearchAndFinish, ClonedMZQA):
    """The answer of one run of searches by a planner that was cloned from the best paths of `lats`.

    Each action is scored; if none finishes, the passages of all are read, and with `cut` those up to the best score.
    """

    name = "lats-bc"
    paper = "LATS-BC, in MZQA (Lee et al., 2024), table 6"
    calls = "2 an action, 1 to read if none finishes"

    def __init__(
        self,
        retriever: RetrieverLike | None = None,
        *,
        failed_below: Share = FAILED_BELOW,
        reflections: Number = 0,
        cut: bool = False,
        **settings: Unpack[SubQuestionSettings],
    ) -> None:
        """Set up the agent.

        Args:
            retriever: Where the passages come from; without `retrieval`, what is searched for is told from memory.
            failed_below: Ends scored lower than this, from 0 to 1, are reflected on.
            reflections: How many reflections are shown, the latest.
            cut: Whether only the passages up to the best score are read, where no action finishes.
            **settings: See `SubQuestionSearch`.
        """
        super().__init__(retriever, failed_below=failed_below, reflections=reflections, cut=cut, **settings)


def finishes(turn: PathItem) -> bool:
    """Whether the turn ends its path."""
    return isinstance(turn.act, Finish)
