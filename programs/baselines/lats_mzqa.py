"""The search of MZQA over the actions of LATS: to search, and to finish.

Seongmin Lee et al., "Zero-Shot Multi-Hop Question Answering via Monte-Carlo Tree Search with Large Language Models"
(2024), section 4; Andy Zhou et al., "Language Agent Tree Search Unifies Reasoning, Acting, and Planning in Language
Models" (2023), section 4.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dspy

from ...runtime import Lookup, Number, Share
from ...signatures import ProposeActions, ReflectOnActions
from ..mzqa import MZQA
from ..search import Moves
from ..shared.actions import read_action
from ..shared.agent import Choice, SearchAndFinish
from ..shared.sub_questions import PathStep, StepPath, distinct, path_texts

FailedEnd = tuple[int, tuple[str, ...], str]
"""The number of expansions before it, the path of a failed end, and what it teaches."""


class ActionMZQA(SearchAndFinish, MZQA):
    """The answer with which the most valuable path of searches finishes, found as `mzqa` finds sub-questions.

    Several actions are proposed in one call, each new one is followed to its end, one action at a time, and its end is
    scored. On an end that is scored below `failed_below` the LM reflects; later iterations are shown the latest
    `reflections`, from the next one on, so that the tree does not depend on which call is faster. If the chosen path
    does not finish, its passages are read.

    Ours: no paper describes it. It is what remains of `lats` (which samples its actions and values every node) under
    the search that MZQA compares with it, and it needs no LM that samples.
    """

    name = "lats-mzqa"
    paper = "LATS's actions (Zhou et al., 2023) under MZQA's search (Lee et al., 2024)"
    calls = "1 to propose, 1 a simulated action, 1 a score, 1 a failed end, 1 to read"
    small = {"iterations": 2, "depth": 2, "candidates": 2}

    failed_below: Share = 0.5
    """Ends scored lower than this, from 0 to 1, are reflected on."""
    reflections: Number = 3
    """The number of reflections shown, the latest."""

    def set_up(self) -> None:
        """Set up the agent and its search."""
        super().set_up()
        self.reflect = dspy.Predict(ReflectOnActions)
        self.propose = dspy.Predict(ProposeActions)

    def calls_of_score(self) -> int:
        """One, and one for the reflection on a failed end."""
        return 2 if self.reflections else 1

    def moves(self, question: str, lookup: Lookup) -> Moves[Choice, PathStep]:
        """The moves of a search over actions, which reflects on failed ends and is shown what that taught."""
        learned: list[FailedEnd] = []
        lessons_at: dict[StepPath, list[str]] = {}

        def lessons(path: StepPath) -> list[str]:
            """The lessons known when the expansion that this path came from began."""
            return next((lessons_at[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lessons_at), [])

        async def propose(path: StepPath) -> Sequence[Choice]:
            lessons_at[path] = self.latest([text for *_, text in sorted(learned)])
            key = ("propose", path_texts(path), tuple(lessons_at[path]))
            return await lookup.once(key, lambda: self.propose_actions(question, path, lessons_at[path]))

        async def plan(path: StepPath) -> Choice | None:
            texts = lessons(path)
            key = ("plan", path_texts(path), tuple(texts))
            choice = await lookup.once(key, lambda: self.plan_action(question, path, texts))
            return choice and choice._replace(thought="")  # as those that are proposed

        async def score(path: StepPath) -> float:
            reward = await lookup.once(("score", path_texts(path)), lambda: self.score_path(question, path))
            if reward < self.failed_below and self.reflections:
                reflection = await lookup.once(("reflect", path_texts(path)), lambda: self.reflect_on(question, path))
                lesson = (len(lessons_at), path_texts(path), reflection)
                if reflection and not any(known[1:] == lesson[1:] for known in learned):
                    learned.append(lesson)
            return reward

        return replace(super().moves(question, lookup), propose=propose, plan=plan, score=score)

    async def propose_actions(self, question: str, path: StepPath, lessons: list[str]) -> list[Choice]:
        """Different actions that could come next."""
        inputs: dict[str, Any] = {"history": self.describe(path), "reflections": lessons, "number": self.candidates}
        proposal = await self.attempt(self.ask(self.propose, **inputs, question=question))
        actions = [read_action(text) for text in (proposal.actions if proposal else ())]
        return distinct(Choice(action) for action in actions if action is not None)[: self.candidates]
