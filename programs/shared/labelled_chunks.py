"""What EfficientRAG has of a question on the way: chunks with their labels, and what is still to be searched for."""

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
"""How far no label is trusted: what the labeler finds worthless keeps this much of its worth."""


class OpenQuery(NamedTuple):
    """What is still to be searched for, and the chunks that led to it."""

    queries: tuple[str, ...]
    """The words that the filter picked, and those that the labeler marked where they are searched for as well."""
    path: tuple[Passage, ...] = ()
    known: tuple[str, ...] = ()
    """What matters of each chunk on the path."""
    belief: float = 1.0
    """How likely the path is to lead to the answer."""


class JudgedChunk(NamedTuple):
    """A chunk with what the labeler says of it."""

    passage: Passage
    origin: OpenQuery
    label: Judgement
    rank: int
    """Its place among what the query found, from 0."""

    @property
    def belief(self) -> float:
        """How likely the chunk is part of the way to the answer."""
        return self.origin.belief * (DOUBT + (1 - DOUBT) * self.label.relevant)

    @property
    def worth(self) -> float:
        """What it is ranked by: the belief, and a little less for every place that the retriever put it behind."""
        return self.belief * RANK_DISCOUNT ** min(self.rank, LAST_PLACE)

    def marks(self, useful_at: float) -> list[str]:
        """The useful words, neighbours together."""
        text = str(self.passage)
        return [text[start:end] for start, end in self.label.marks(useful_at)]

    def shown(self, useful_at: float) -> str:
        """What is read of it beside others: all, unless it is long."""
        text = str(self.passage)
        return text if len(text.split()) <= SHOWN else condense(text, self.label.marks(useful_at), SHOWN)


class Gathered(NamedTuple):
    """What a loop of EfficientRAG found."""

    passages: list[Passage]
    """Each once, best first; the pool of those found helpful is their beginning."""
    read: list[Passage]
    """What the reader is given."""
    hops: int
    """Rounds of retrieval."""
    labelled: list[JudgedChunk]
    """Every chunk that was labelled, as often as it was."""
    helpful: list[str]
    """The ids of those found helpful, as often as they were."""

    @property
    def counts(self) -> dict[str, int]:
        """The loop in numbers."""
        return {
            "hops": self.hops,
            "labelled": len(self.labelled),
            "documents": len({chunk.passage for chunk in self.labelled}),
            "kept": len(self.helpful),
            "pool": len(set(self.helpful)),
        }


def likeliest_of_each(labelled: Sequence[JudgedChunk]) -> list[JudgedChunk]:
    """Every passage once, as the chunk at the end of that path to it which promises most; best first."""
    best: dict[Passage, JudgedChunk] = {}
    for chunk in labelled:
        if chunk.passage not in best or chunk.worth > best[chunk.passage].worth:
            best[chunk.passage] = chunk
    return sorted(best.values(), key=lambda chunk: -chunk.worth)
