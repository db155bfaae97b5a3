"""Tree of Thoughts over sub-questions: breadth-first, keeping the best of each level, and depth-first, backing off.

Shunyu Yao et al., "Tree of Thoughts: Deliberate Problem Solving with Large Language Models" (2023), section 3; as
compared with by MZQA (Lee et al., 2024), table 2, with the same prompts.
"""

from typing import Unpack

import dspy

from ...retrieval import RetrieverLike
from ...runtime import Count, Share, in_branches
from ..search import best_scored, search_beam, search_depth_first
from ..shared.sub_questions import SubQuestionSearch, SubQuestionSettings


class TreeOfThoughtsBreadthFirst(SubQuestionSearch):
    """The answer read from the best path of sub-questions, found level by level.

    At each level several sub-questions are proposed for every path that was kept, each is answered, and every longer
    path is scored; the best `breadth` are kept.

    Differs from the paper: the states are answered sub-questions, as in MZQA's comparison, and the LM scores each state
    by itself, from 0 to 10.
    """

    name = "tot-bfs"
    paper = "Tree of Thoughts (Yao et al., 2023)"
    calls = "1 an expansion, 2 a sub-question, 1 to read"

    def __init__(
        self, retriever: RetrieverLike | None = None, *, breadth: Count = 1, **settings: Unpack[SubQuestionSettings]
    ) -> None:
        """Set up the search.

        Args:
            retriever: Where the passages come from; not needed without `retrieval`.
            breadth: Paths to keep at each level.
            **settings: `retrieval`, `k`, `depth`, `candidates` and `reuse`, see `SubQuestionSearch`; the rest, see
                `Program`.
        """
        super().__init__(retriever, **settings)
        self.breadth = breadth

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        expansions = 1 + (self.depth - 1) * self.breadth
        return expansions * (1 + self.candidates * (self.calls_of_move() + self.calls_of_score())) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow level by level, then read the best path."""
        async with self.lookup() as lookup:
            tree = await search_beam(self.moves(question, lookup), in_branches, width=self.breadth)
            return await self.read_path(question, best_scored(tree), lookup, tree, nodes=len(list(tree.walk())) - 1)


class TreeOfThoughtsDepthFirst(SubQuestionSearch):
    """The answer read from the first full path of sub-questions that scores well enough.

    The best-scored child is followed first; a path below the threshold is given up, and the search backs off to the
    next best. If no full path scores well enough, the best of the longest is read.

    Differs from the paper: the states are answered sub-questions, as in MZQA's comparison, and the LM scores each state
    by itself, from 0 to 10. The threshold is ours.
    """

    name = "tot-dfs"
    paper = "Tree of Thoughts (Yao et al., 2023)"
    calls = "1 an expansion, 2 a sub-question, 1 to read"

    def __init__(
        self,
        retriever: RetrieverLike | None = None,
        *,
        threshold: Share = 0.5,
        expansions: Count = 20,
        **settings: Unpack[SubQuestionSettings],
    ) -> None:
        """Set up the search.

        Args:
            retriever: Where the passages come from; not needed without `retrieval`.
            threshold: The score, from 0 to 1, below which a path is given up.
            expansions: Paths to expand at most.
            **settings: `retrieval`, `k`, `depth`, `candidates` and `reuse`, see `SubQuestionSearch`; the rest, see
                `Program`.
        """
        super().__init__(retriever, **settings)
        self.threshold, self.expansions = threshold, expansions

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.expansions * (1 + self.candidates * (self.calls_of_move() + self.calls_of_score())) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Go deep and back off, then read the path."""
        async with self.lookup() as lookup:
            tree = await search_depth_first(
                self.moves(question, lookup), in_branches, threshold=self.threshold, limit=self.expansions
            )
            return await self.read_path(question, best_scored(tree), lookup, tree, nodes=len(list(tree.walk())) - 1)
