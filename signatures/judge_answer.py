"""Judging an answer against the accepted ones."""

import dspy

from .step_signature import StepSignature


class JudgeAnswer(StepSignature):
    """Decide whether the given answer says the same as one of the accepted answers.

    Another spelling, another date format, more or less detail is the same; another person, place, number or date is
    not. Judge only agreement with the accepted answers, not what you believe to be true.
    """

    question: str = dspy.InputField()
    accepted: list[str] = dspy.InputField(desc="answers that count as right")
    answer: str = dspy.InputField(desc="the answer to judge")
    correct: bool = dspy.OutputField()
