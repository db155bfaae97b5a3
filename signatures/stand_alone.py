"""A follow-up of a conversation, as a question that needs none."""

import dspy

from .step_signature import StepSignature


class StandAlone(StepSignature):
    """Rewrite the last question of a conversation so that it makes sense by itself.

    Replace words that point back, such as "he", "her", "it" or "there", by the full names from the conversation, and
    add what the question leaves out. Change nothing else. Do not answer it. Repeat a question that makes sense by
    itself as it is.
    """

    conversation: list[str] = dspy.InputField(desc="the questions before it, each with its answer, the latest last")
    question: str = dspy.InputField(desc="the last question")
    full_question: str = dspy.OutputField(desc="the last question with full names, on one line")
