"""The sentences that bear an answer: for each claim the sentence of a passage that says so, and whether it does."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict

from ...retrieval import Passage

Verdict = Literal["supported", "contradicted", "not found"]
"""The sentence says so, it says otherwise, or no passage says anything of it."""


class Citation(TypedDict):
    """A claim with the sentence that bears it; an answer that takes several sentences has a citation for each."""

    claim: str
    """The answer, or a sentence of a conclusion on the way to it."""
    verdict: Verdict
    """Whether the passages bear the claim."""
    passage: str
    """The passage's id; empty where nothing was found, as are the next two."""
    title: str
    """Its title; may be empty."""
    sentence: str
    """The sentence."""
    start: int
    """The first character of the sentence in the passage's text."""
    end: int
    """The character after its last."""
    score: float
    """The probability that the sentence bears the claim."""


async def cite(question: str, answer: str, conclusions: Sequence[str], passages: Sequence[Passage]) -> list[Citation]:
    """The citations of the answer, best first, then those of each sentence of the conclusions.

    Args:
        question: The question.
        answer: The answer; a refusal has no citation.
        conclusions: The conclusions on the way to it.
        passages: The passages that the answer rests on, best first.
    """
    return []


def of_answer(citations: Iterable[Citation], answer: str) -> list[Citation]:
    """The citations of the answer, without those of the conclusions."""
    return [each for each in citations if each["claim"] == answer]
