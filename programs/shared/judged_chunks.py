"""Chunks under the labels of a search, and the queries that are still open; ranked by how likely they help."""

from collections.abc import Sequence
from typing import NamedTuple

from ...encoder import Judgement, condense
from ...retrieval import Passage

RANK_DISCOUNT = 0.8
LAST_PLACE = 9
"""The place behind which none costs more."""
SHOWN = 150
"""Words of a chunk that are read beside others; of a longer one, the sentences with most marks."""
DOUBT = 0.1
"""The share of its worth that a chunk keeps which the labeler finds worthless."""


class OpenQuery(NamedTuple):
    """A query that is still to be searched for, and the chunks that led to it."""

    queries: tuple[str, ...]
    """The words that the filter picked, and those that the labeler marked where they are searched for as well."""
    path: tuple[Passage, ...] = ()
    known: tuple[str, ...] = ()
    """The sentences that matter of each chunk on the path."""
    belief: float = 1.0
    """The probability that the path leads to the answer."""


class JudgedChunk(NamedTuple):
    """A chunk with its label, the query that found it, and its place there."""

    passage: Passage
    label: Judgement
    origin: OpenQuery
    rank: int
    """Its place among what the query found, from 0."""

    @property
    def belief(self) -> float:
        """The probability that the chunk is part of the way to the answer."""
        return self.origin.belief * (DOUBT + (1 - DOUBT) * self.label.relevant)

    @property
    def worth(self) -> float:
        """The belief, and a little less for every place that the retriever put it behind."""
        return self.belief * RANK_DISCOUNT ** min(self.rank, LAST_PLACE)

    def shown(self, useful_at: float) -> str:
        """The text that is read beside other chunks: all, unless it is long."""
        text = str(self.passage)
        return text if len(text.split()) <= SHOWN else condense(text, self.label.marks(useful_at), SHOWN)


def likeliest_of_each(judged: Sequence[JudgedChunk]) -> list[JudgedChunk]:
    """Every passage once, as the chunk at the end of that path to it which promises most; best first."""
    best: dict[Passage, JudgedChunk] = {}
    for chunk in judged:
        if chunk.passage not in best or chunk.worth > best[chunk.passage].worth:
            best[chunk.passage] = chunk
    return sorted(best.values(), key=lambda chunk: -chunk.worth)
