"""Retrievers and vector stores of LangChain and LlamaIndex, known by their methods; neither package is imported."""

import copy
from functools import partial
from typing import Any

from .search_call import SearchCall

_COUNTS = ("similarity_top_k", "_similarity_top_k", "top_k", "k")
"""The attributes in which a retriever may keep the number of hits it returns."""


def foreign_call(wrapped: Any, name: str) -> SearchCall | None:
    """The call of one of these; None for anything else."""
    for search, methods in (
        (_search_store, ("similarity_search", "similarity_search_with_score")),
        (_invoke, ("invoke", "_get_relevant_documents")),  # LangChain's retrievers
        (_retrieve_nodes, ("retrieve", "aretrieve")),  # LlamaIndex's
    ):
        if all(callable(getattr(wrapped, method, None)) for method in methods):
            return SearchCall(partial(search, wrapped), name, batch=False, waits=False, k_name="")
    return None


def _search_store(store: Any, query: str, k: int) -> Any:
    # Without scores: some stores return distances, of which the least is the best.
    return store.similarity_search(query, k=k)


def _invoke(retriever: Any, query: str, k: int) -> Any:
    return _returning(k, retriever).invoke(query)


def _retrieve_nodes(retriever: Any, query: str, k: int) -> Any:
    return _returning(k, retriever).retrieve(query)


def _returning(k: int, retriever: Any) -> Any:
    """A copy of the retriever that returns `k` hits, or the retriever itself if it keeps no number of hits."""
    options = getattr(retriever, "search_kwargs", None)
    count = next((name for name in _COUNTS if type(getattr(retriever, name, None)) is int), None)
    if not isinstance(options, dict) and count is None:
        return retriever
    twin = copy.copy(retriever)
    if isinstance(options, dict):
        twin.search_kwargs = {**options, "k": k}
    elif count is not None:
        setattr(twin, count, k)
    return twin
