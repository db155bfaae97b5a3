"""Candidate answers: proposing them, checking one, comparing two."""

import dspy

from .output_types import Texts
from .step_signature import StepSignature


class ProposeCandidates(StepSignature):
    """Name different possible answers to the question, the likeliest first, in the light of the passages.

    Each is the shortest phrase that could answer it, copied from the passages where they have it.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    number: int = dspy.InputField(desc="how many to name")
    question: str = dspy.InputField()
    candidates: Texts = dspy.OutputField(desc="possible answers, all different")


class ValidateCandidate(StepSignature):
    """Decide whether the summary really supports the candidate as the answer to the question."""

    candidate: str = dspy.InputField(desc="one possible answer")
    summary: str = dspy.InputField(desc="what speaks for it")
    question: str = dspy.InputField()
    valid: bool = dspy.OutputField()


class CompareCandidates(StepSignature):
    """Decide which of two accounts is the better answer to the question, by how much it explains and how well."""

    first: str = dspy.InputField(desc="a possible answer and what speaks for it")
    second: str = dspy.InputField(desc="another, likewise")
    question: str = dspy.InputField()
    first_better: bool = dspy.OutputField(desc="true if the first is better, false if the second is")
