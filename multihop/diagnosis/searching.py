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
    """
    found: list[list[Hit]] = []
    for start in range(0, len(queries), AT_ONCE):
        some = queries[start : start + AT_ONCE]
        found += read_rankings(retriever.search(some, k), len(some), type(retriever).__name__)
    return found
