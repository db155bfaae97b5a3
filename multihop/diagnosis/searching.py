"""Many queries, searched for some at a time."""

from collections.abc import Sequence

from ..retrieval import Hit, Retriever
from ..retrieval.wrapped.results import read_rankings

AT_ONCE = 256
"""Queries in one search; more would keep a server waiting, or its answer in memory twice."""


def search_all(retriever: Retriever, queries: Sequence[str], k: int) -> list[list[Hit]]:
    """At most `k` hits for each query, in their order.

    Raises:
        InputError: The retriever gave another number of rankings than it was given queries.

    Examples:
        >>> from multihop.diagnosis.searching import search_all
        >>> from multihop.retrieval import BM25, Passage
        >>> index = BM25.build([Passage("p1", "Po", "A river in Italy.")])
        >>> [len(hits) for hits in search_all(index, ["rivers"] * 300, k=5)] == [1] * 300
        True
    """
    found: list[list[Hit]] = []
    for start in range(0, len(queries), AT_ONCE):
        some = queries[start : start + AT_ONCE]
        found += read_rankings(retriever.search(some, k), len(some), type(retriever).__name__)
    return found
