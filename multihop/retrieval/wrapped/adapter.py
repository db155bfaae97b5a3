"""Any object or function that searches, adapted to the protocol of retrievers."""

import asyncio
import inspect
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

from ...base import InputError, in_thread
from ..own_loop import run_in_own_loop
from ..passage import Hit
from ..retriever import Retriever, RetrieverLike, check_search, fingerprint
from .dspy_retrievers import call as dspy_call
from .dspy_retrievers import retriever_identity
from .foreign_retrievers import foreign_call
from .results import read_hits, read_rankings
from .search_call import SearchCall

AT_ONCE = 16
"""Queries in flight at most to a retriever that takes one at a time."""
MOST_THREADS = 1024
"""Searches that run in threads at most, over all retrievers; those that never end keep theirs."""


def as_retriever(anything: RetrieverLike) -> Retriever:
    """The same retriever, or one made of what searches in another way.

    An object with `search(queries, k)` is taken as it is. These are adapted: one whose `search` is async or takes one
    query, or that has `asearch` alone; a function, async or not, that takes a query or a batch of queries, and mostly
    `k`; DSPy's `Retrieve`, `Embeddings`, `EmbeddingsWithScores`, `ColBERTv2` and modules; retrievers of LangChain and
    LlamaIndex, and LangChain's vector stores. Whether a function takes one query or a batch is told by the annotation
    or the name of its first argument; if neither tells, it takes one.
    Results are read by `read_hits`: hits, passages, texts "title | text", or records with a text.

    Raises:
        InputError: It cannot search, or needs more than a query and a number of hits.

    Examples:
        >>> from multihop.retrieval import as_retriever
        >>> def wikipedia(query, k):
        ...     return ["Po | The Po is a river in Italy.", "Etna | Etna is a volcano."][:k]
        >>> hits = as_retriever(wikipedia).search(["rivers"], k=1)[0]
        >>> hits[0].passage.title, hits[0].passage.text
        ('Po', 'The Po is a river in Italy.')
    """
    if isinstance(anything, Adapted) or _follows_protocol(anything):
        return anything
    return Adapted(anything)


class Adapted:
    """A retriever made of something else that searches; see `as_retriever`.

    A retriever that takes a batch gets batches. One that takes a query at a time is asked up to sixteen at once, on the
    event loop or in threads, each under the context of its asker, and if one query fails the others do not.
    """

    def __init__(self, wrapped: Any) -> None:
        """Read off how it is called, or refuse it."""
        self.wrapped = wrapped
        self._name = _name_of(wrapped)
        self._call = _call_of(wrapped, self._name)
        self._limits: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @property
    def takes_batches(self) -> bool:
        """True if several queries are searched for in one call."""
        return self._call.batch

    @property
    def fingerprint(self) -> str:
        """Identifies what is wrapped: by its own fingerprint, or its class or the function's name."""
        own = getattr(self.wrapped, "fingerprint", None)
        return own if isinstance(own, str) and own else retriever_identity(self.wrapped, _identify) or self._name

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return run_in_own_loop(self.asearch, queries, k)

    async def asearch(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The same, for an event loop."""
        check_search(queries, k)
        if self.takes_batches:
            rankings = read_rankings(await self._ask(list(queries), k), len(queries), self._name)
            return [ranking[:k] for ranking in rankings]
        return list(await asyncio.gather(*[self.find(query, k) for query in queries]))

    async def find(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits for one query, from what takes one at a time."""
        limit = self._limits.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
        async with limit:
            return read_hits(await self._ask(query, k), self._name)[:k]

    async def _ask(self, queries: Any, k: int) -> Any:
        if self._call.waits:
            return await self._call(queries, k)
        answer = await in_thread(copy_context(), self._call, queries, k, threads=_threads())
        return await answer if inspect.isawaitable(answer) else answer

    def __deepcopy__(self, memo: dict[int, Any]) -> "Adapted":
        return self  # optimizers copy programs, and what is searched must not be copied with them

    def __reduce__(self) -> tuple[Any, ...]:
        return Adapted, (self.wrapped,)

    def __repr__(self) -> str:
        return f"as_retriever({self._name})"


def _follows_protocol(anything: Any) -> TypeGuard[Retriever]:
    """True if it has a `search` whose first argument is a list of queries and whose second is a number of hits."""
    if isinstance(anything, type) or not callable(getattr(anything, "search", None)):
        return False
    call = SearchCall.read(anything.search, f"{_name_of(anything)}.search", batch=True)
    return call.batch and not call.waits and call.k_name == ""


def _call_of(wrapped: Any, name: str) -> SearchCall:
    if isinstance(wrapped, type):
        raise InputError(f"{name} is a class, no retriever; give an instance of it.")
    if call := dspy_call(wrapped, name) or foreign_call(wrapped, name):
        return call
    for method in ("asearch", "search"):
        if callable(getattr(wrapped, method, None)):
            return SearchCall.read(getattr(wrapped, method), f"{name}.{method}", batch=True)
    if not callable(wrapped):
        raise InputError(
            f"{wrapped!r:.60} is no retriever; "
            "it must have search(queries, k) or asearch(queries, k), or be callable as f(query, k)."
        )
    return SearchCall.read(wrapped, name, batch=False)


def _identify(searching: Any) -> str:
    return fingerprint(as_retriever(searching))


def _name_of(wrapped: Any) -> str:
    """The name of a function, or of a thing's class."""
    while isinstance(wrapped, partial):
        wrapped = wrapped.func
    if isinstance(wrapped, type) or inspect.isroutine(wrapped):
        return str(wrapped.__qualname__).replace("<locals>.", "")
    return type(wrapped).__name__


# Not the loop's own threads: those are few, and DSPy needs them for every LM call.
@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_THREADS, "multihop-search")


if hasattr(os, "register_at_fork"):  # a forked child has no threads
    os.register_at_fork(after_in_child=_threads.cache_clear)
