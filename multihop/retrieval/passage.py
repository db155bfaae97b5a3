"""A passage, and a hit: a passage with its score."""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ..base.english import BAR


class Passage(NamedTuple):
    """One paragraph of a corpus.

    Examples:
        >>> from multihop.retrieval import Passage
        >>> print(Passage("p1", "Ada Lovelace", "She wrote the first program."))
        Ada Lovelace | She wrote the first program.
    """

    id: str
    """Unique within its corpus."""
    title: str
    """The page it comes from; may be empty."""
    text: str
    """The paragraph itself."""

    def __str__(self) -> str:
        """The passage as a prompt shows it: title and text on one line."""
        return f"{self.title}{BAR}{self.text}" if self.title else self.text

    @property
    def name(self) -> str:
        """The title without what is in brackets: "Emma" for "Emma (novel)"."""
        return self.title.split(" (")[0]

    def is_named_in(self, text: str) -> bool:
        """True if the text holds the page's name as whole words, in any case.

        Examples:
            >>> from multihop.retrieval import Passage
            >>> Passage("p1", "Emma (novel)", "").is_named_in("She wrote Emma in 1815.")
            True
        """
        return len(self.name) > 2 and bool(re.search(rf"(?<!\w){re.escape(self.name)}(?!\w)", text, re.IGNORECASE))


class Passages(Protocol):
    """Passages by position: a list, or a file that reads like one."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> Passage: ...
    def __iter__(self) -> Iterator[Passage]: ...


class Hit(NamedTuple):
    """A passage a retriever returned, with the score that ranked it."""

    passage: Passage
    score: float
