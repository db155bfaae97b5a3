"""Answering: from memory alone, or from retrieved passages."""

import dspy

from .step_signature import StepSignature


class AnswerQuestion(StepSignature):
    """Answer the question from what you know, with the shortest phrase."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class AnswerFromPassages(StepSignature):
    """Answer the question with the shortest phrase, copied from the passages where they have it."""

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class CheckSuggestion(StepSignature):
    """Answer the question with the shortest phrase, copied from the passages where they have it.

    Another reader suggests an answer: keep it, unless the passages say otherwise.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    question: str = dspy.InputField()
    suggestion: str = dspy.InputField(desc="what another reader answers")
    answer: str = dspy.OutputField(desc="a few words")
