"""Summaries of passages, and the two memories that ReSP keeps of them: evidence, and the pathway of sub-questions."""

import dspy

from .step_signature import StepSignature


class SummarizePassages(StepSignature):
    """Write down what the passages say that helps to answer the question.

    Keep every name, date and number that an answer could rest on, and leave out the rest. Say only what is in the
    passages. If nothing in them helps, leave the summary empty.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    question: str = dspy.InputField()
    summary: str = dspy.OutputField(desc="a few sentences; empty if nothing helps")


class WriteEvidence(SummarizePassages):
    """Write a short passage, only from what the given passages say, that supports answering the question.

    Keep every name, date and number that an answer could rest on, and leave out the rest. Always write something: if
    nothing in them helps, say so in one sentence that begins with "Nothing".
    """

    summary: str = dspy.OutputField(desc="a few sentences, never empty")


class SummarizeForCandidate(StepSignature):
    """Write down what the passages say in favour of the candidate as the answer to the question.

    Say only what is in the passages, and name the candidate. If they do not speak for it, say so.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    candidate: str = dspy.InputField(desc="one possible answer")
    question: str = dspy.InputField()
    summary: str = dspy.OutputField(desc="a few sentences")


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
