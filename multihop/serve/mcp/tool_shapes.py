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
    """A sentence that bears the answer."""

    passage: str = Field(description="The passage's id.")
    title: str = Field(description="The passage's title.")
    sentence: str = Field(description="The sentence.")
    start: int = Field(description="Where it begins in the passage's text.")
    end: int = Field(description="Where it ends.")


class ToolAnswer(BaseModel):
    """An answer."""

    answer: str = Field(description="The answer.")
    citations: list[ToolCitation] = Field(description="The sentences that bear it, likeliest first.")
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
