"""A question in better words."""

import dspy

from .step_signature import StepSignature


class RewordQuestion(StepSignature):
    """Write the question in plain, natural English, as somebody would ask it who wants to know.

    Ask exactly the same: keep every name, number and date, add none, and leave nothing out. Where the question
    describes something without naming it, do not name it. Do not answer. Write one question.
    """

    question: str = dspy.InputField(desc="the question, worded by rule")
    names: list[str] = dspy.InputField(desc="the names in it, which must stay as they are")
    reworded_question: str = dspy.OutputField(desc="the same question, on one line")
