"""The gold of a question among passages that no program returned."""

from collections.abc import Sequence

import dspy

from ..data import Question
from ..evaluation.matching import Match, match_gold
from ..retrieval import Passage


def match_passages(question: Question, passages: Sequence[Passage]) -> Match:
    """Match the passages to the gold by the rules of `evaluate`; no passages at all are a miss."""
    return match_gold(question, dspy.Prediction(passages=list(passages), retrieves=True))
