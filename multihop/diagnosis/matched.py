"""The gold of a question among passages that no program returned."""

from collections.abc import Sequence

import dspy

from ..data import Question
from ..evaluation.matching import Match, match_gold
from ..retrieval import Passage


def match_passages(question: Question, passages: Sequence[Passage]) -> Match:
    """Match the passages to the gold by the rules of `evaluate`; no passages at all are a miss.

    Examples:
        >>> from multihop import Passage, Question
        >>> from multihop.diagnosis.matched import match_passages
        >>> question = Question(id="q", question="Who?", answers=(), supporting=("p1", "p2"))
        >>> match_passages(question, [Passage("p2", "", "Ada.")]).recall(), match_passages(question, []).recall()
        (0.5, 0.0)
    """
    return match_gold(question, dspy.Prediction(passages=list(passages), retrieves=True))
