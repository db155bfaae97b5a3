"""What the encoder learns from: passages under one question with all that it should say of each, and next queries."""

from dataclasses import dataclass
from typing import Literal

from ...base.english import Span
from ...encoder.layout import Pair

AnswerLabel = Span | Literal["yes", "no"] | None


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """One passage with all that the encoder should say of it."""

    pair: Pair
    relevant: bool
    leads_on: bool = False
    """True if it is tagged "continue"; else it is tagged "terminate"."""
    enough: bool = False
    """True if nothing is missing once this passage is known."""
    useful: tuple[Span, ...] = ()
    """The spans of the passage that bring the answer closer."""
    answer: AnswerLabel = None
    """The answer to the question, where this passage or what is known already says it."""
    helpful: tuple[Span, ...] | None = None
    """The pages that help, where several are read as one passage."""


@dataclass(frozen=True, slots=True)
class QueryLesson:
    """A question with what was found, and the words of both that together ask for what is missing."""

    pair: Pair
    """The last query, and as its passage what was found."""
    asked: tuple[Span, ...]
    """The words of the query that stay."""
    found: tuple[Span, ...]
    """The words of the finding that stay."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Passages that compete under one question and the same known ones, and the queries that follow."""

    candidates: tuple[LabelledPassage, ...]
    queries: tuple[QueryLesson, ...] = ()
