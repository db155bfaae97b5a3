"""Several rankings as one: by reciprocal ranks, or in turns."""

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from .passage import Hit, Passage

CONSTANT = 10
"""The larger it is, the less the first places count beside those after them. With the paper's 60, a thing at place 61
of two rankings comes before one that is first in only one of them; with 10 this ends at place 11, and more is found
(docs/lab/efficientrag.md)."""


def reciprocal_ranks(rankings: Iterable[Sequence[str]], constant: int = CONSTANT) -> dict[str, float]:
    """A score for each thing, best first: for every ranking that has it, one by its rank and a constant.

    Gordon V. Cormack et al., "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning Methods"
    (2009). Of equal scores the one that was met first comes first.

    Examples:
        >>> from multihop.retrieval.fusion import reciprocal_ranks
        >>> list(reciprocal_ranks([["a", "b", "c"], ["c", "b"]]))
        ['c', 'b', 'a']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0.0) + 1 / (constant + rank)
    return dict(sorted(scores.items(), key=lambda scored: -scored[1]))


def fuse(*rankings: Sequence[Hit]) -> list[Hit]:
    """The hits of several rankings as one, each passage once, scored by its reciprocal ranks."""
    passages = {hit.passage.id: hit.passage for ranking in rankings for hit in ranking}
    scores = reciprocal_ranks([hit.passage.id for hit in ranking] for ranking in rankings)
    return [Hit(passages[name], score) for name, score in scores.items()]


def by_rank(rankings: Iterable[Sequence[Passage]]) -> list[Passage]:
    """The passages of several rankings, each once: all first ones, then all second ones, and so on.

    For rankings that answer different questions, of which none is to be pushed down by what another found.
    """
    passages = chain.from_iterable(zip_longest(*rankings))
    return list({passage.id: passage for passage in passages if passage is not None}.values())
