"""LATS: Monte-Carlo tree search over searching and finishing, with values and reflections by the LM itself.

Andy Zhou et al., "Language Agent Tree Search Unifies Reasoning, Acting, and Planning in Language Models" (2024),
section 4.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import dspy
from pydantic import Field

from ...retrieval import Passage, Retriever
from ...signatures import EvaluateActions, ProposeActions, ReflectOnActions, ThinkAndActAgain
from ..decision import Decision
from ..lookup import Lookup
from ..mzqa import MZQA, ClonedMZQA
from ..score import read_score
from ..search import Moves
from ..sub_questions import Path, Step, SubQuestionSearch, distinct, told
from .react import decided

_ACTION = re.compile(r"\b(?P<name>search|finish)\b\W*(?P<needs>\S.*?)[\])\s]*$", re.IGNORECASE | re.DOTALL)


class SearchAndFinish(SubQuestionSearch):
    """The moves of a search over actions: to search, whose result are the passages themselves, and to finish."""

    clone = "lats-bc"

    def __init__(
        self,
        retriever: Retriever | None = None,
        *,
        failed_below: Annotated[float, Field(ge=0, le=1)] = 0.5,
        reflections: Annotated[int, Field(ge=0)] = 3,
        **settings: Any,
    ) -> None:
        """Set up the agent.

        Args:
            retriever: Where the passages come from; without `retrieval`, what is searched for is told from memory.
            failed_below: Ends scored lower than this, from 0 to 1, are reflected on.
            reflections: How many reflections are shown, the latest.
            **settings: See `MZQA` and `SubQuestionSearch`.
        """
        super().__init__(retriever, **settings)
        self.failed_below, self.reflections = failed_below, reflections
        self.propose = dspy.Predict(ProposeActions)
        self.plan = dspy.Predict(ThinkAndActAgain)
        self.evaluate = dspy.ChainOfThought(EvaluateActions)
        self.reflect = dspy.Predict(ReflectOnActions)

    def moves(self, question: str, made: Lookup) -> Moves[str, Step]:
        """The moves of a search over actions; what was learnt from failed ends is kept beside them."""
        learnt: list[tuple[int, tuple[str, ...], str]] = []
        shown: dict[Path, list[str]] = {}

        def lessons(path: Path) -> list[str]:
            """What was known when the expansion that this path came from began."""
            return next((shown[path[:n]] for n in range(len(path), -1, -1) if path[:n] in shown), [])

        async def propose(path: Path) -> Sequence[str]:
            shown[path] = [text for *_, text in sorted(learnt)][-self.reflections :] if self.reflections else []
            key = ("propose", told(path), tuple(shown[path]))
            return await made.once(key, lambda: self.proposed_actions(question, path, shown[path]))

        async def plan(path: Path) -> str | None:
            known = lessons(path)
            return await made.once(
                ("plan", told(path), tuple(known)), lambda: self.planned_action(question, path, known)
            )

        async def score(path: Path) -> float:
            reward = await made.once(("score", told(path)), lambda: self.scored(question, path))
            if reward < self.failed_below and self.reflections:
                reflection = await made.once(("reflect", told(path)), lambda: self.reflected(question, path))
                lesson = (len(shown), told(path), reflection)
                if reflection and not any(known[1:] == lesson[1:] for known in learnt):
                    learnt.append(lesson)
            return reward

        return replace(super().moves(question, made), propose=propose, plan=plan, score=score, ends=finished)

    async def proposed_actions(self, question: str, path: Path, lessons: list[str]) -> list[str]:
        """Different actions that could come next."""
        said = await self.attempt(
            self.propose, history=seen(path), reflections=lessons, number=self.candidates, question=question
        )
        named = [action for text in (said.actions if said else ()) if (action := action_of(text))]
        return distinct(named)[: self.candidates]

    async def planned_action(self, question: str, path: Path, lessons: list[str]) -> str | None:
        """The one action that comes next."""
        said = await self.attempt(self.plan, history=seen(path), reflections=lessons, question=question)
        return action_of(" ".join(decided(said))) if said else None

    async def moved(self, question: str, path: Path, sub_question: str) -> Step:
        """The action, done."""
        name, _, needs = sub_question.partition(": ")
        if name == "finish":
            return Step(sub_question, result=needs)
        if not self.retrieval:
            told_from_memory = await super().moved(question, path, needs)
            return told_from_memory._replace(sub_question=sub_question)
        with self.searching():
            found = tuple(hit.passage for hit in await self.find(needs, self.k))
            return Step(
                sub_question, result="; ".join(passage.title or passage.id for passage in found), passages=found
            )
        return Step(sub_question)

    async def scored(self, question: str, path: Path) -> float:
        """How likely the path leads to the answer, from 0 to 1; 0 if the LM gives no number."""
        said = await self.attempt(self.evaluate, check=read_score, history=seen(path), question=question)
        return read_score(said) if said else 0.0

    async def reflected(self, question: str, path: Path) -> str:
        """What a failed end teaches."""
        said = await self.attempt(self.reflect, history=seen(path), question=question)
        return said.reflection.strip() if said else ""

    def planned_as(self, question: str, path: Path, step: Step) -> Decision:
        """The decision for an action, in the words of the planner's signature."""
        name, _, needs = step.sub_question.partition(": ")
        inputs = {"history": seen(path), "reflections": [], "question": question}
        said = {"thought": "", "action": name, "query": "", "answer": ""}
        return Decision("plan", inputs, {**said, "query" if name == "search" else "answer": needs})

    async def read_answer(self, question: str, path: Path, passages: list[Passage]) -> str:
        """The answer the path finishes with; read from the passages if it does not finish."""
        if path and finished(path[-1]):
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


class ClonedAgent(SearchAndFinish, ClonedMZQA):
    """The answer of one run of searches by a planner that was cloned from the best paths of `lats`.

    Each action is scored; if none finishes, the passages up to the best score are read.
    """

    name = "lats-bc"
    paper = "LATS-BC, in MZQA (Lee et al., 2024), table 6"
    calls = "2 an action, 1 to read if none finishes"

    def __init__(
        self, retriever: Retriever | None = None, *, reflections: Annotated[int, Field(ge=0)] = 0, **settings: Any
    ):
        super().__init__(retriever, reflections=reflections, **settings)


def finished(step: Step) -> bool:
    """Whether the step ends its path."""
    return step.sub_question.startswith("finish: ")


def seen(path: Path) -> list[str]:
    """Actions and the passages they found, as a prompt shows them."""
    return [text for step in path for text in (str(step), *map(str, step.passages))]


def action_of(text: str) -> str | None:
    """The action that a text names, written one way; None if it names none.

    Examples:
        >>> from multihop.programs.baselines.lats import action_of
        >>> action_of("Search[Ada Lovelace]"), action_of("**finish**: London"), action_of("wait")
        ('search: Ada Lovelace', 'finish: London', None)
    """
    named = _ACTION.search(text)
    return f"{named['name'].lower()}: {named['needs'].strip()}" if named else None
