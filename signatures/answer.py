"""Answering: from memory alone, or from retrieved passages."""

import dspy

from .step_signature import StepSignature


class AnswerQuestion(StepSignature):
    """Answer the question from what you know.

    Give the shortest phrase that answers it: a name, a date, a number, yes or no.
    """

    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="the short answer alone, without a sentence around it")


class AnswerFromPassages(StepSignature):
    """Answer the question from the passages. Where they leave a gap, fall back on what you know.

    Give the shortest phrase that answers it: a name, a date, a number, yes or no.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="the short answer alone, without a sentence around it")
