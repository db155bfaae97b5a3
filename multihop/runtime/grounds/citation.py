"""The record of a citation: a claim, and the sentence of a passage that bears it."""

from typing import Literal, TypedDict

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
