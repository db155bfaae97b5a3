"""Judging and reading the two memories: evidence for the question, and the pathway of sub-questions."""

import dspy

from .step_signature import StepSignature


class JudgeMemories(StepSignature):
    """Decide whether what is known answers the question completely, without inferring what is not there."""

    evidence: list[str] = dspy.InputField(desc="what was found that helps to answer the question")
    pathway: list[str] = dspy.InputField(desc="sub-questions so far, each with its answer")
    question: str = dspy.InputField()
    enough: bool = dspy.OutputField(desc="whether nothing is missing")


class ReadMemories(StepSignature):
    """Answer the question with the shortest phrase, copied from what was found where that has it."""

    evidence: list[str] = dspy.InputField(desc="what was found that helps to answer the question")
    pathway: list[str] = dspy.InputField(desc="sub-questions so far, each with its answer")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")
