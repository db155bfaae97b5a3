"""The little encyclopedia: true pages that name each other, with multi-hop questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import ujson

from ..base import unknown
from ..retrieval import Passage
from .own_rows import read_row
from .question import Question
from .record import Record

LITTLE = "little"
"""The name by which commands take it, as questions and as a corpus."""
TITLE = "the little encyclopedia"
"""The name of the little encyclopedia in a sentence."""
SPLITS = ("train", "dev")
"""The two parts of the questions: those to learn from, and those to try what was learned."""
SOURCES = (LITTLE, *(f"{LITTLE}:{split}" for split in SPLITS))
"""The names of all its questions and of each part; as a corpus each of them is the whole."""


class Little:
    """Two hundred short pages of well-known facts, and forty questions of two to four hops about them.

    It is there for a first sight and for demonstrations: everyone can check an answer. Language models know these facts
    without reading, and forty questions tell no two methods apart, so that nothing measured with it is a result.

    No page answers a question alone: the page of a work names its maker, and the page of the maker leaves the work out.

    Examples:
        >>> from multihop.data.little import Little
        >>> little = Little()
        >>> question = next(little.questions())
        >>> question.question, question.answer
        ('In which country was the discoverer of penicillin born?', 'Scotland')
        >>> pages = {page.id: page for page in little.passages()}
        >>> [pages[id].title for id in question.supporting]
        ['Penicillin', 'Alexander Fleming']
    """

    def __repr__(self) -> str:
        return "Little()"

    def passages(self) -> Iterator[Passage]:
        """All pages, in the order of their ids."""
        for page in _lines("pages.jsonl"):
            yield Passage(page["id"], page["title"], page["text"])

    def questions(self, split: str | None = None) -> Iterator[Question]:
        """All questions, with the kinds mixed, or those of one split: 24 to learn from, 16 to try.

        Raises:
            InputError: There is no such split.
        """
        if split is not None and split not in SPLITS:
            raise unknown("split of the little encyclopedia", split, SPLITS)
        rows = _lines("questions.jsonl")
        return (read_row(Record(row, LITTLE)) for row in rows if split is None or row["split"] == split)


def is_little(source: object) -> bool:
    """True if a source of questions or passages names the little encyclopedia."""
    name = str(source)
    if name.startswith(f"{LITTLE}:") and name not in SOURCES:
        raise unknown("source in the library", name, SOURCES)
    return name in SOURCES


def _lines(name: str) -> Iterator[Any]:
    with files(__package__).joinpath("encyclopedia", name).open(encoding="utf-8") as file:
        yield from map(ujson.loads, file)
