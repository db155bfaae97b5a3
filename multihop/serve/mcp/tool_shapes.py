"""What the tools answer with, as agents are told beforehand."""

from typing import Any

from pydantic import BaseModel, Field


class ToolPassage(BaseModel):
    """A passage."""

    id: str = Field(description="Its id in the corpus.")
    title: str = Field(description="Its title; may be empty.")
    text: str = Field(description="Its text.")
    score: float | None = Field(
        default=None, description="The retriever's score; none of a passage that an answer rests on."
    )


class ToolCitation(BaseModel):
    """A claim, and the sentence that bears it."""

    claim: str = Field(description="The answer, or a step on the way to it.")
    verdict: str = Field(description="Whether the passages bear it: supported, contradicted or not found.")
    passage: str = Field(description="The passage's id; empty where nothing was found.")
    title: str = Field(description="The passage's title.")
    sentence: str = Field(description="The sentence.")
    start: int = Field(description="Where it begins in the passage's text.")
    end: int = Field(description="Where it ends.")


class ToolAnswer(BaseModel):
    """An answer."""

    answer: str = Field(description="The answer.")
    confidence: float | None = Field(default=None, description="The probability that it is right.")
    calibrated: bool = Field(default=False, description="Whether that was fitted; if not, it only ranks answers.")
    abstained: bool = Field(default=False, description="Whether the answer is that there is none.")
    reason: str = Field(default="", description="Why an answer was withheld.")
    best_guess: str = Field(default="", description="The answer that was withheld.")
    citations: list[ToolCitation] = Field(default=[], description="The sentences that bear it, where looked for.")
    passages: list[ToolPassage] = Field(description="The passages it rests on, best first.")
    over_budget: bool = Field(description="Whether the search was cut short.")
    cost: dict[str, Any] = Field(description="What it cost: LM calls, retrievals, tokens, seconds.")


class ToolPassages(BaseModel):
    """The result of a search."""

    passages: list[ToolPassage] = Field(description="The passages, best first.")


class FoundPage(BaseModel):
    """A passage that was found, without its text."""

    id: str = Field(description="Its id; `fetch` takes it.")
    title: str = Field(description="Its title, or its id where it has none.")
    url: str = Field(description="Its address, to cite it by.")


class FoundPages(BaseModel):
    """The result of a search, as research clients read it."""

    results: list[FoundPage] = Field(description="The passages, best first.")


class FetchedPage(FoundPage):
    """A passage, as research clients read it."""

    text: str = Field(description="Its whole text.")
    metadata: dict[str, str] = Field(default={}, description="What else is known of it; nothing.")
