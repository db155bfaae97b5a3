"""Question sets, corpora, and the generated world."""

from typing import TYPE_CHECKING, Any

from .compact import write_questions
from .corpus import gather_passages, read_corpus
from .format import SetCard
from .hub import load_from_hub
from .question import Question, SubQuestion
from .sets import CARDS
from .sources import open_corpus, open_questions, open_retriever

if TYPE_CHECKING:
    from .world import World

__all__ = [
    "CARDS",
    "Question",
    "SetCard",
    "SubQuestion",
    "World",
    "gather_passages",
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
