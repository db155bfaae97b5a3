"""Question sets, corpora, and the generated world."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .corpus import bring_paragraphs as bring_paragraphs
    from .corpus import gather_passages as gather_passages
    from .corpus import read_corpus as read_corpus
    from .formats.compact import write_questions as write_questions
    from .formats.format import SetCard as SetCard
    from .formats.sets import CARDS as CARDS
    from .hub import load_from_hub as load_from_hub
    from .in_memory import as_question as as_question
    from .in_memory import as_questions as as_questions
    from .library import KnownSet as KnownSet
    from .library import SetRecord as SetRecord
    from .library import fetch_set as fetch_set
    from .library import known_set as known_set
    from .library import known_sets as known_sets
    from .question import Question as Question
    from .question import SubQuestion as SubQuestion
    from .reading import Reading as Reading
    from .selection import Selection as Selection
    from .sources import open_corpus as open_corpus
    from .sources import open_questions as open_questions
    from .sources import open_retriever as open_retriever
    from .world import World as World
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "corpus": "bring_paragraphs gather_passages read_corpus",
            "formats.compact": "write_questions",
            "formats.format": "SetCard",
            "formats.sets": "CARDS",
            "hub": "load_from_hub",
            "in_memory": "as_question as_questions",
            "library": "KnownSet SetRecord fetch_set known_set known_sets",
            "question": "Question SubQuestion",
            "reading": "Reading",
            "selection": "Selection",
            "sources": "open_corpus open_questions open_retriever",
            "world": "World",
        },
    )
