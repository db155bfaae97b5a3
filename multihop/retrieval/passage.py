"""A passage, a hit, which is a passage with its score, and several rankings as one: by their ranks, or in turns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

from ..base.english import BAR

_CONSTANT = 10
"""The larger it is, the less the first places count beside those after them. With the paper's 60, a thing at place 61
of two rankings comes before one that is first in only one of them; with 10 this ends at place 11, and more is found
(docs/lab/efficientrag.md)."""


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


def fuse(*rankings: Sequence[Hit]) -> list[Hit]:
    """The hits of several rankings as one, each passage once: for every ranking that has it, one by its rank and 10.

    For rankings whose scores cannot be compared. Gordon V. Cormack et al., "Reciprocal Rank Fusion Outperforms
    Condorcet and Individual Rank Learning Methods" (2009), which has 60 where this has 10. Of equals the one that was
    met first comes first.

    Examples:
        >>> from multihop.retrieval import Hit, Passage, fuse
        >>> po, inn, etna = (Hit(Passage(name, "", ""), 1.0) for name in ("Po", "Inn", "Etna"))
        >>> [hit.passage.id for hit in fuse([po, inn, etna], [etna, inn])]
        ['Etna', 'Inn', 'Po']
    """
    passages = {hit.passage.id: hit.passage for ranking in rankings for hit in ranking}
    scores = dict.fromkeys(passages, 0.0)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.passage.id] += 1 / (_CONSTANT + rank)
    ordered = sorted(scores.items(), key=lambda scored: -scored[1])
    return [Hit(passages[name], score) for name, score in ordered]


def by_rank(rankings: Iterable[Sequence[Passage]]) -> list[Passage]:
    """The passages of several rankings, each once: all first ones, then all second ones, and so on.

    For rankings that answer different questions, of which none is to be pushed down by what another found.
    """
    passages = chain.from_iterable(zip_longest(*rankings))
    return list({passage.id: passage for passage in passages if passage is not None}.values())
