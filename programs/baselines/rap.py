"""RAP: Monte-Carlo tree search over sub-questions answered from memory, each rated by how useful it is.

Shibo Hao et al., "Reasoning with Language Model is Planning with World Model" (2023), section 3.
"""

from dataclasses import replace
from typing import Any, Unpack

import dspy

from ...retrieval import RetrieverLike
from ...runtime import Lookup, together
from ...signatures import RateStep
from ..mzqa import MZQA, TreeSettings
from ..search import Moves
from ..shared.path import ItemPath
from ..shared.sub_questions import PathSettings


class RatedTreeSettings(TreeSettings, PathSettings, total=False):
    """What the search can be set to, beside `retrieval`."""


class ReasoningViaPlanning(MZQA):
    """The answer read from the sub-questions that the LM, asking and answering itself, rated most useful.

    The search is that of `mzqa`. The reward of a path is the mean of its steps' ratings, each given when the step was
    new; the ratings of one path are given at once.

    Differs from the paper: the rating is a score from 0 to 10, where the paper takes the probability of a token and
    adds the confidence of the answers. `retrieval=True` answers sub-questions from retrieved passages instead.
    """

    name = "rap"
    paper = "RAP (Hao et al., 2023)"
    calls = "a search: 1 an expansion, 2 a sub-question, 1 a simulated one more, 1 to read"

    def __init__(
        self,
        retriever: RetrieverLike | None = None,
        *,
        retrieval: bool = False,
        **settings: Unpack[RatedTreeSettings],
    ) -> None:
        """Set up the search.

        Args:
            retriever: Where the passages come from; not needed without `retrieval`.
            retrieval: Whether sub-questions are answered from retrieved passages, or from the LM's memory.
            **settings: See `MZQA`.
        """
        super().__init__(retriever, retrieval=retrieval, **settings)
        self.evaluate = dspy.ChainOfThought(RateStep)

    def calls_of_score(self) -> int:
        """Each step of the path is rated."""
        return self.depth

    def moves(self, question: str, lookup: Lookup) -> Moves[Any, Any]:
        """The moves of `mzqa`, with the mean of the steps' ratings as a path's reward."""
        moves = super().moves(question, lookup)

        async def mean_rating(path: ItemPath) -> float:
            ratings = await together(*(moves.score(path[: length + 1]) for length in range(len(path))))
            return sum(ratings) / len(ratings) if ratings else 0.0

        return replace(moves, score=mean_rating)
