"""Question sets, corpora, and the generated world."""

from typing import TYPE_CHECKING, Any

from .corpus import bring_paragraphs, gather_passages, read_corpus
from .formats.compact import write_questions
from .formats.format import SetCard
from .formats.sets import CARDS
from .hub import load_from_hub
from .in_memory import as_question, as_questions
from .library import KnownSet, SetRecord, fetch_set, known_set, known_sets
from .question import Question, SubQuestion
from .reading import Reading
from .selection import Selection
from .sources import open_corpus, open_questions, open_retriever

if TYPE_CHECKING:
    from .world import World

__all__ = [
    "CARDS",
    "KnownSet",
    "Question",
    "Reading",
    "Selection",
    "SetCard",
    "SetRecord",
    "SubQuestion",
    "World",
    "as_question",
    "as_questions",
    "bring_paragraphs",
    "fetch_set",
    "gather_passages",
    "known_set",
    "known_sets",
    "load_from_hub",
    "open_corpus",
    "open_questions",
    "open_retriever",
    "read_corpus",
    "write_questions",
]


def __getattr__(name: str) -> Any:
    # The world's word lists load only where the world is used.
    if name == "World":
        from .world import World

        return World
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
