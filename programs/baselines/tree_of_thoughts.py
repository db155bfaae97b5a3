"""Tree of Thoughts: breadth-first, keeping the best of each level, and depth-first, backing off.

Shunyu Yao et al., "Tree of Thoughts: Deliberate Problem Solving with Large Language Models" (2023), section 3; as
compared with by MZQA (Lee et al., 2024), in table 1 with prompts of its own, in table 2 with those of MZQA.
"""

from dataclasses import replace
from typing import Any, Literal

import dspy

from ...retrieval import Passage
from ...runtime import Count, Lookup, Share, in_branches
from ...signatures import ProposeThoughts, ReadHistory, ValueThoughts
from ..search import Moves, best_scored, search_beam, search_depth_first
from ..shared.chain import final_answer
from ..shared.sub_questions import PathStep, StepPath, SubQuestionSearch


class Thought(PathStep):
    """One sentence of a line of thought; it is shown as it is."""

    __slots__ = ()

    def __str__(self) -> str:
        """The sentence."""
        return str(self.act)


class ThoughtSearch(SubQuestionSearch):
    """The moves of a search over thoughts: sub-questions with their answers, or sentences."""

    unasked = "plan"

    thought: Literal["sub-question", "sentence"] = "sub-question"
    """The kind of thought: a sub-question with its answer, under the prompts of `mzqa`, or a sentence, under prompts of
    its own."""

    def set_up(self) -> None:
        """Set up the steps."""
        super().set_up()
        if self.thought == "sentence":
            del self.plan, self.answer  # a thought is there as soon as it is proposed
            self.planner, self.proposes = "", "thoughts"
            self.propose = dspy.Predict(ProposeThoughts)
            self.evaluate = dspy.ChainOfThought(ValueThoughts)
            self.read = dspy.Predict(ReadHistory)

    def is_idle(self, path: StepPath) -> bool:
        """True if the last sub-question brought nothing new; a sentence is new in itself."""
        return self.thought == "sub-question" and super().is_idle(path)

    def calls_of_move(self) -> int:
        """A sub-question is answered; a sentence is not."""
        return super().calls_of_move() if self.thought == "sub-question" else 0

    def moves(self, question: str, lookup: Lookup) -> Moves[Any, Any]:
        """The moves of `mzqa`, or those over sentences: one that gives the answer ends its path."""
        moves = super().moves(question, lookup)
        if self.thought == "sub-question":
            return moves

        async def move(path: StepPath, text: str) -> Thought:
            hits = await self.attempt(self.find(text, self.k)) if self.retrieval else None
            return Thought(text, passages=tuple(hit.passage for hit in hits or ()))

        return replace(moves, move=move, ends=lambda thought: bool(final_answer(str(thought))))

    def describe(self, path: StepPath) -> tuple[str, ...]:
        """The path as prompts show it: thoughts, each with what was found for it."""
        shown = self.thought == "sentence"
        return tuple(line for step in path for line in (str(step), *(map(str, step.passages) if shown else ())))

    async def read_answer(self, question: str, path: StepPath, passages: list[Passage]) -> str:
        """The answer, from the line of thought."""
        if self.thought == "sub-question":
            return await super().read_answer(question, path, passages)
        return str((await self.ask(self.read, history=self.describe(path), question=question)).answer)


class TreeOfThoughtsBreadthFirst(ThoughtSearch):
    """The answer read from the best path of thoughts, found level by level.

    At each level several thoughts are proposed for every path that was kept, and every longer path is valued by
    itself, by a score from 0 to 10; the best `breadth` are kept. A thought is a sub-question with its answer, under the
    prompts of `mzqa`, as in the second table of MZQA; with `thought="sentence"` it is a sentence, under prompts of its
    own, as in the first: one that gives the answer ends its path, and with `retrieval` each is also searched for.

    The paper has no prompts for questions with more than one hop: these follow what it says of proposing and valuing.
    Differs from the paper: no path goes on by a thought that is on it, or after one that brought nothing new (`stops`).
    """

    name = "tot-bfs"
    paper = "Tree of Thoughts (Yao et al., 2023)"
    calls = "1 to propose, 2 a sub-question, 1 to read"

    breadth: Count = 1
    """Paths to keep at each level."""

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        expansions = 1 + (self.depth - 1) * self.breadth
        return expansions * (1 + self.candidates * (self.calls_of_move() + self.calls_of_score())) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow level by level, then read the best path."""
        async with self.lookup() as lookup:
            tree = await search_beam(self.pruned(self.moves(question, lookup)), in_branches, width=self.breadth)
            return await self.read_path(question, best_scored(tree), lookup, tree, nodes=len(list(tree.walk())) - 1)


class TreeOfThoughtsDepthFirst(ThoughtSearch):
    """The answer read from the first full path of thoughts that scores well enough.

    Thoughts are those of `tot-bfs`. The best-scored child is followed first; a path below the threshold is given up,
    and the search backs off to the next best. If no full path scores well enough, the best of the longest is read.

    The paper has no prompts for questions with more than one hop: these follow what it says of proposing and valuing.
    The threshold is ours. Differs from the paper: no path goes on by a thought that is on it, or after one that brought
    nothing new (`stops`).
    """

    name = "tot-dfs"
    paper = "Tree of Thoughts (Yao et al., 2023)"
    calls = "1 to propose, 2 a sub-question, 1 to read"

    threshold: Share = 0.5
    """The score, from 0 to 1, below which a path is given up."""
    expansions: Count = 20
    """Paths to expand at most."""

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.expansions * (1 + self.candidates * (self.calls_of_move() + self.calls_of_score())) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Go deep and back off, then read the path."""
        async with self.lookup() as lookup:
            moves = self.pruned(self.moves(question, lookup))
            tree = await search_depth_first(moves, in_branches, threshold=self.threshold, limit=self.expansions)
            return await self.read_path(question, best_scored(tree), lookup, tree, nodes=len(list(tree.walk())) - 1)
