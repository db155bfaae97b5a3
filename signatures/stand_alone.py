"""A follow-up of a conversation, as a question that needs none."""

import dspy

from .step_signature import StepSignature


class StandAlone(StepSignature):
    """Write the last question of a conversation again, so that it makes sense by itself.

    Put full names from the conversation in the place of words that point back to it, such as "he", "her", "it" or
    "there", and add what the question leaves out. Change nothing else and do not answer it. A question that makes sense
    by itself already is repeated as it is.
    """

    conversation: list[str] = dspy.InputField(desc="the questions before it, each with its answer, the latest last")
    question: str = dspy.InputField(desc="the last question")
    full_question: str = dspy.OutputField(desc="the last question with full names, on one line")
