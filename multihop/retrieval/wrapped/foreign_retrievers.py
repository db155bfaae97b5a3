"""Retrievers and vector stores of LangChain and LlamaIndex, told by what they can do; neither package is imported."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from .search_call import SearchCall

_COUNTS = ("similarity_top_k", "_similarity_top_k", "top_k", "k")
"""The attributes in which a retriever may keep the number of hits it returns."""


def foreign_call(wrapped: Any, name: str) -> SearchCall | None:
    """The call of one of these; None for anything else.

    Examples:
        >>> from multihop.retrieval.wrapped.foreign_retrievers import foreign_call
        >>> class Keyword:
        ...     similarity_top_k = 2
        ...     def retrieve(self, query): return [query] * self.similarity_top_k
        ...     def aretrieve(self, query): ...
        >>> foreign_call(Keyword(), "Keyword")("Po", 3)
        ['Po', 'Po', 'Po']
    """
    for search, fits in ((_search_store, _is_store), (_invoke, _is_langchain), (_retrieve_nodes, _is_llama_index)):
        if fits(wrapped):
            return SearchCall(partial(search, wrapped), name, batch=False, waits=False, k_name="")
    return None


def _is_store(thing: Any) -> bool:
    return _can(thing, "similarity_search", "similarity_search_with_score")


def _is_langchain(thing: Any) -> bool:
    return _can(thing, "invoke", "_get_relevant_documents")


def _is_llama_index(thing: Any) -> bool:
    return _can(thing, "retrieve", "aretrieve")


def _can(thing: Any, *methods: str) -> bool:
    found: list[Callable[..., Any] | None] = [getattr(thing, method, None) for method in methods]
    return all(map(callable, found))


def _search_store(store: Any, query: str, k: int) -> Any:
    # Without scores: some stores return distances, of which the least is the best.
    return store.similarity_search(query, k=k)


def _invoke(retriever: Any, query: str, k: int) -> Any:
    return _returning(k, retriever).invoke(query)


def _retrieve_nodes(retriever: Any, query: str, k: int) -> Any:
    return _returning(k, retriever).retrieve(query)


def _returning(k: int, retriever: Any) -> Any:
    """The retriever with `k` hits a query, where it has a place to say so; the given one stays as it is."""
    options = getattr(retriever, "search_kwargs", None)
    count = next((name for name in _COUNTS if type(getattr(retriever, name, None)) is int), None)
    if isinstance(options, dict):
        changed: dict[str, Any] = {"search_kwargs": {**options, "k": k}}
    elif count is not None:
        changed = {count: k}
    else:
        return retriever
    twin = copy.copy(retriever)
    for name, value in changed.items():
        setattr(twin, name, value)
    return twin
