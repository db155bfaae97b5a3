"""RAP: Monte-Carlo tree search over sub-questions that the LM asks and answers itself, rewarded by use and confidence.

Shibo Hao et al., "Reasoning with Language Model is Planning with World Model" (2023), section 3.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import dspy

from ...runtime import Count, Lookup, together
from ...signatures import AnswerOwnQuestion, AskOwnQuestion, AskOwnQuestions, RateStep
from ..mzqa import MZQA
from ..search import Moves
from ..shared.chain import final_answer
from ..shared.evidence import wording
from ..shared.sub_questions import PathStep, StepPath


class ReasoningViaPlanning(MZQA):
    """The answer read from the sub-questions that the LM, asking and answering itself, rated most useful.

    An action is a sub-question, a state the answers so far; a path ends when the question itself is asked, or at the
    full depth. The reward of a path is the mean of its steps': the LM's rating of how useful the sub-question is, given
    when the step was new, times the confidence of its answer, the share of `samples` drawn answers that say the same.
    With one sample, the default, every answer is taken to be sure. The ratings of one path are given at once.

    Differs from the paper: the search is that of `mzqa`, which proposes several sub-questions in one call, simulates by
    asking one at a time, and adds rewards up. The rating is a score from 0 to 10, where the paper takes the probability
    of a token and weighs it against confidence by exponents. No path asks a sub-question that is on it (`stops`). The
    answer is read from the whole path. `retrieval=True` answers sub-questions from retrieved passages instead.
    """

    name = "rap"
    paper = "RAP (Hao et al., 2023)"
    calls = "1 to propose, 2 a sub-question (simulated 3), 1 to read"

    samples: Count = 1
    """Answers to draw for each sub-question; the most frequent one is taken."""
    retrieval: bool = False
    """True to answer sub-questions from retrieved passages, False to answer from the LM's memory."""

    def set_up(self) -> None:
        """Set up the search."""
        super().set_up()
        self.propose = dspy.Predict(AskOwnQuestions)
        self.plan = dspy.Predict(AskOwnQuestion)
        if not self.retrieval:
            self.answer = dspy.Predict(AnswerOwnQuestion)
        self.evaluate = dspy.ChainOfThought(RateStep)

    def calls_of_move(self) -> int:
        """As many answers as are drawn."""
        return self.samples

    def calls_of_score(self) -> int:
        """Each step of the path is rated."""
        return self.depth

    def moves(self, question: str, lookup: Lookup) -> Moves[Any, Any]:
        """The moves of `mzqa`, with the steps' mean reward, and an end where the question itself was asked."""
        moves = super().moves(question, lookup)

        async def mean_reward(path: StepPath) -> float:
            ratings = await together(*(moves.score(path[: length + 1]) for length in range(len(path))))
            rewards = [rating * step.confidence for rating, step in zip(ratings, path, strict=True)]
            return sum(rewards) / len(rewards) if rewards else 0.0

        return replace(moves, score=mean_reward, ends=lambda step: wording(str(step.act)) == wording(question))

    async def answer_sub_question(self, question: str, path: StepPath, sub_question: str, draw: int = 0) -> PathStep:
        """The sub-question with its most frequent answer, and how frequent that is; the first of equals."""
        if self.samples == 1 or draw:
            return await super().answer_sub_question(question, path, sub_question, draw)
        draws = range(1, self.samples + 1)
        drawn = await together(*(self.answer_sub_question(question, path, sub_question, draw) for draw in draws))
        kinds = [wording(final_answer(hop.result) or hop.result) for hop in drawn]
        counts = Counter(kind for kind in kinds if kind)
        if not counts:
            return drawn[0]
        kind, count = counts.most_common(1)[0]
        return drawn[kinds.index(kind)]._replace(confidence=count / len(drawn))
