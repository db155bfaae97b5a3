"""Answers to a question, from memory or from passages; what comes before one in a conversation, and its judge."""

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


class StandAlone(StepSignature):
    """Rewrite the last question of a conversation so that it makes sense by itself.

    Replace words that point back, such as "he", "her", "it" or "there", by the full names from the conversation, and
    add what the question leaves out. Change nothing else. Do not answer it. Repeat a question that makes sense by
    itself as it is.
    """

    conversation: list[str] = dspy.InputField(desc="the questions before it, each with its answer, the latest last")
    question: str = dspy.InputField(desc="the last question")
    full_question: str = dspy.OutputField(desc="the last question with full names, on one line")


class JudgeAnswer(StepSignature):
    """Decide whether the given answer says the same as one of the accepted answers.

    Another spelling, another date format, more or less detail is the same; another person, place, number or date is
    not. Judge only agreement with the accepted answers, not what you believe to be true.
    """

    question: str = dspy.InputField()
    accepted: list[str] = dspy.InputField(desc="answers that count as right")
    answer: str = dspy.InputField(desc="the answer to judge")
    correct: bool = dspy.OutputField()
