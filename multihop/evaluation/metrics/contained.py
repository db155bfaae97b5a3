"""Accuracy as toolkits for retrieval-augmented generation count it: an accepted answer is in what the program wrote."""

from typing import Any

from .answer import answer_of, explain_answer
from .metric import Metric
from .normal_form import normal_form
from .refusal import refusal_score


class Accuracy(Metric):
    """1.0 where an accepted answer stands anywhere in the answer, both in their normal form; else 0.0.

    It is FlashRAG's `acc`: letters are compared, not words, so that "no" is in "nothing"; a long answer that names
    everything gets 1.0. EM and F1 are the stricter measures.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import Accuracy
        >>> question = Question(id="q", question="Who?", answers=("Ada Lovelace", "Countess of Lovelace"))
        >>> Accuracy().measure(question, dspy.Prediction(answer="It was Ada Lovelace, of course."))
        1.0
    """

    name = "acc"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """1.0 or 0.0; None for a question whose answer is not known."""
        if (score := refusal_score(gold, answer_of(prediction))) is not None:
            return score
        answer = normal_form(answer_of(prediction))
        found = (normal_form(accepted) for accepted in gold.answers)
        return max((float(accepted in answer if accepted else accepted == answer) for accepted in found), default=None)

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The answers that were accepted and the one that came, and the gold passages that are missing."""
        return explain_answer(gold, prediction, score)
