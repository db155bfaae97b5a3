"""Exam questions: written so that they need several passages, and read as an examinee would."""

import dspy

from .step_signature import StepSignature


class WriteExamQuestion(StepSignature):
    """Write a question that only somebody who has all the passages can answer.

    First choose the answer, a date, place, person or other thing that the last passage states. Then ask for it without
    any name that they share: in its place stands what the passages before say of it, in words that fit nothing else, as
    in "Where was the author of Emma born?". If it is to be missing, ask so for a usual fact that none of them states.
    """

    passages: list[str] = dspy.InputField(desc="each as 'title | text'")
    names: list[str] = dspy.InputField(desc="what they share; the question holds no part of it")
    missing: bool = dspy.InputField(desc="true if no passage is to state the answer")
    answer: str = dspy.OutputField(desc="a few words, copied from the last passage; 'not mentioned' if it is missing")
    question: str = dspy.OutputField(desc="makes sense to somebody who has not seen the passages")


class SitExam(StepSignature):
    """Answer the question from the passages alone, with the shortest phrase, copied from them.

    First find what the question describes: a passage must say so of it. Else, or where none states the fact that is
    asked for, the answer is "not mentioned".
    """

    passages: list[str] = dspy.InputField(desc="each as 'title | text'")
    question: str = dspy.InputField()
    described: str = dspy.OutputField(desc="the name of what the question describes, or 'not mentioned'")
    answer: str = dspy.OutputField(desc="a few words, or 'not mentioned'")
