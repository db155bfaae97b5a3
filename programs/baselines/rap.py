"""RAP: Monte-Carlo tree search over sub-questions answered from memory, each rated by how useful it is.

Shibo Hao et al., "Reasoning with Language Model is Planning with World Model" (2023), section 3.
"""

from dataclasses import replace
from typing import Any

import dspy

from ...retrieval import Retriever
from ...signatures import RateStep
from ..branch import together
from ..lookup import Lookup
from ..mzqa import MZQA
from ..search import Moves
from ..sub_questions import Path, Step


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

    def __init__(self, retriever: Retriever | None = None, *, retrieval: bool = False, **settings: Any) -> None:
        super().__init__(retriever, retrieval=retrieval, **settings)
        self.evaluate = dspy.ChainOfThought(RateStep)

    def moves(self, question: str, made: Lookup) -> Moves[str, Step]:
        """The moves of `mzqa`, with the mean of the steps' ratings as a path's reward."""
        moves = super().moves(question, made)

        async def mean_rating(path: Path) -> float:
            ratings = await together(*(moves.score(path[: length + 1]) for length in range(len(path))))
            return sum(ratings) / len(ratings) if ratings else 0.0

        return replace(moves, score=mean_rating)
