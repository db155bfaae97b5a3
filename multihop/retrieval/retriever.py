"""The protocol of retrievers, a ranking for each of several queries, and the adapter of what searches otherwise."""

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from inspect import Parameter
from typing import Any, Protocol, TypeGuard, runtime_checkable
from weakref import WeakKeyDictionary

from typing_extensions import TypeAliasType

from ..base import InputError, NotCopied, ask_together, in_thread
from ..base.concurrency import BackgroundLoop
from .passage import Hit, read_hits, read_rankings

AT_ONCE = 16
"""Queries in flight at most to a retriever that takes one at a time."""
MOST_THREADS = 1024
"""Searches that run in threads at most, over all retrievers; those that never end keep theirs."""
_BATCH = frozenset({"queries", "questions", "texts", "batch"})
_SINGLE = frozenset({"query", "question", "text", "q"})
_COUNT = frozenset({"k", "top_k", "topk", "n", "limit", "size", "num_results", "n_results", "max_results"})
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_ITS_LINE = "give a function f(query, k); docs/guide/own-documents.md has LangChain's and LlamaIndex's"
_loop = BackgroundLoop("multihop-waiting")


@runtime_checkable
class Retriever(Protocol):
    """Anything that searches; `as_retriever` makes one of what searches in another way.

    A retriever may also have a `fingerprint: str` of its corpus and settings, which runs and artefacts record;
    `async def asearch`, with the arguments of `search`, which `find` prefers; and, where others change its corpus,
    `latest()`: itself, or another over the corpus as it is now, for which servers ask. Its `__deepcopy__` should return
    itself, since optimizers copy programs.
    """

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""


class Searching(Protocol):
    """An object with a `search` of any kind: async or not, of one query or of several, with any kind of hits."""

    @property
    def search(self) -> Callable[..., Any]:
        """Takes a query, or several, and mostly the number of hits."""


class SearchingAsync(Protocol):
    """An object with an `asearch`, which is awaited."""

    @property
    def asearch(self) -> Callable[..., Any]:
        """Takes a query, or several, and mostly the number of hits."""


RetrieverLike = TypeAliasType("RetrieverLike", Retriever | Searching | SearchingAsync | Callable[..., Any])
"""Everything that `as_retriever` takes; what programs take."""


def check_search(queries: Sequence[str], k: int) -> None:
    """Refuse what no retriever can search for: one text instead of a list, or `k` below 1."""
    if isinstance(queries, str):
        raise InputError(f"search takes a list of queries, not one text; write search([{queries!r:.40}], k={k}).")
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}.")


def fingerprint(retriever: Retriever) -> str:
    """The identity of a retriever in runs and artefacts: its own `fingerprint`, or the name of its class."""
    return str(getattr(retriever, "fingerprint", "") or type(retriever).__name__)


def as_retriever(anything: RetrieverLike) -> Retriever:
    """A retriever made of what searches in another way; a retriever itself stays as it is.

    An object with `search(queries, k)` is taken as it is. These are adapted: one whose `search` is async or takes one
    query, or that has `asearch` alone; a function, async or not, that takes a query or a batch of queries, and mostly
    `k`; DSPy's `Retrieve`, `Embeddings`, `ColBERTv2` and modules. Whether a function takes one query or a batch is told
    by the annotation or the name of its first argument; if neither tells, it takes one. Results may be hits, passages,
    texts "title | text", pairs of a text and a score, or records with a text.

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


async def find(retriever: Retriever, query: str, k: int) -> list[Hit]:
    """The hits for one query, searched for together with what others on this event loop ask at the same time.

    Queries of the same `k` share a batch (`multihop.base.ask_together`). `search` runs in a worker thread; where a
    retriever has `asearch`, that is awaited on the loop. Where `as_retriever` made it of something that takes one
    query at a time, there is no batch.
    """
    if isinstance(retriever, Adapted) and not retriever.takes_batches:
        return await retriever.find(query, k)
    hits = await ask_together(retriever, k, query, partial(_search_batch, retriever))
    return list(hits)  # a list of one's own, free to change


async def _search_batch(retriever: Retriever, k: int, queries: list[str], context: Context) -> Sequence[list[Hit]]:
    waiting = getattr(retriever, "asearch", None)
    if waiting is None:
        rankings = await in_thread(context, retriever.search, queries, k)
    else:
        rankings = await asyncio.get_running_loop().create_task(waiting(queries, k), context=context)
    return read_rankings(rankings, len(queries), type(retriever).__name__)


class Adapted(NotCopied):
    """A retriever made of something else that searches; see `as_retriever`.

    What takes a batch gets batches. What takes a query at a time is asked up to sixteen at once, on the event loop or
    in threads, each under the context of its asker, and if one query fails the others do not.
    """

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self._name = _name_of(wrapped)
        self._call = _call_of(wrapped, self._name)
        self.takes_batches = self._call.batch
        self._limits: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @property
    def fingerprint(self) -> str:
        """The wrapped one's own; or its name, with a hash of the corpus or address that DSPy's retrievers have."""
        own = getattr(self.wrapped, "fingerprint", None)
        if isinstance(own, str) and own:
            return own
        dspy: Any = sys.modules.get("dspy")  # what comes from DSPy has imported it
        if dspy is not None and isinstance(self.wrapped, dspy.Retrieve) and dspy.settings.rm:
            return f"{self._name}({fingerprint(as_retriever(dspy.settings.rm))})"
        searched = getattr(self.wrapped, "corpus", None) or getattr(self.wrapped, "url", None)  # may hold a password
        texts = [searched] if isinstance(searched, str) else searched
        if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
            return self._name
        model = getattr(getattr(self.wrapped, "embedder", None), "model", "")
        known = repr([model if isinstance(model, str) else "", *texts]).encode("utf-8", "surrogatepass")
        return f"{self._name}-{blake2b(known, digest_size=16).hexdigest()}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not _loop.is_here():  # in the background, since the caller's thread may be running a loop already
            return _loop.run(self.asearch(queries, k))
        with ThreadPoolExecutor(1) as thread:  # that loop cannot wait for itself
            return thread.submit(copy_context().run, asyncio.run, self.asearch(queries, k)).result()

    async def asearch(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The hits of each query, as `search` finds them, without blocking an event loop."""
        check_search(queries, k)
        if self.takes_batches:
            return read_rankings(await self._ask(list(queries), k), len(queries), self._name, k)
        return list(await asyncio.gather(*[self.find(query, k) for query in queries]))

    async def find(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits for one query, from what takes one at a time."""
        limit = self._limits.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
        async with limit:
            return read_hits(await self._ask(query, k), self._name, k)

    async def _ask(self, queries: Any, k: int) -> Any:
        if self._call.waits:
            return await self._call(queries, k)
        answer = await in_thread(copy_context(), self._call, queries, k, threads=_threads())
        return await answer if inspect.isawaitable(answer) else answer

    def __reduce__(self) -> tuple[Any, ...]:
        return Adapted, (self.wrapped,)

    def __repr__(self) -> str:
        return f"as_retriever({self._name})"


@dataclass(frozen=True)
class _Call:
    """A function that searches, and the way to call it."""

    function: Callable[..., Any]
    batch: bool
    """True if it takes all queries at once."""
    k_name: str | None
    """The argument for the number of hits; "" if it is the second by place, None if there is none."""

    @classmethod
    def read(cls, function: Callable[..., Any], name: str, *, batch: bool, like: Any = None) -> "_Call":
        """Read it off the signature of the function, or of what it is like; a method `search` mostly takes a batch."""
        try:
            parameters = list(inspect.signature(like or function).parameters.values())
        except (TypeError, ValueError):  # written in C
            return cls(function, batch, "")
        form = "search(queries, k)" if batch else "f(query, k)"
        if not parameters or parameters[0].kind not in (*_BY_PLACE, Parameter.VAR_POSITIONAL):
            raise InputError(f"{name} takes no query; it must be callable as {form}.")
        k_name = _k_name(parameters, batch)
        for place, other in enumerate(parameters[1:], 1):
            given = other.name == k_name or (k_name == "" and place == 1)
            if other.default is Parameter.empty and other.kind not in _ANY_NUMBER and not given:
                raise InputError(f"{name} cannot be called without '{other.name}'; it must be callable as {form}.")
        return cls(function, _takes_batch(parameters[0], batch), k_name)

    @property
    def waits(self) -> bool:
        """True if it is an async function, or an object whose call is one."""
        return any(map(inspect.iscoroutinefunction, (self.function, getattr(self.function, "__call__", None))))  # noqa: B004

    def __call__(self, queries: Any, k: int) -> Any:
        if self.k_name is None:
            return self.function(queries)
        return self.function(queries, **{self.k_name: k}) if self.k_name else self.function(queries, k)


def _takes_batch(first: Parameter, otherwise: bool) -> bool:
    """True if the first argument is a list of queries, by its annotation or else by its name."""
    declared = inspect.formatannotation(first.annotation).strip("'").partition("[")[0].rpartition(".")[2]
    if declared in ("str", "list", "List", "Sequence", "Iterable", "tuple"):
        return declared != "str"
    return first.name in _BATCH if first.name in _BATCH | _SINGLE else otherwise


def _k_name(parameters: Sequence[Parameter], batch: bool) -> str | None:
    second = parameters[1] if len(parameters) > 1 and parameters[1].kind in _BY_PLACE else None
    if second is not None and second.name in _COUNT:
        return ""
    for parameter in parameters[1:]:
        if parameter.name in _COUNT and parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY):
            return parameter.name
    # In a search(queries, k) the second argument may have any name; in other functions it may be anything.
    if second is not None and second.default is Parameter.empty and batch:
        return ""
    # A wrapper that passes all arguments on is called as what it most likely wraps.
    kinds = {parameter.kind for parameter in parameters}
    return "" if Parameter.VAR_POSITIONAL in kinds else "k" if Parameter.VAR_KEYWORD in kinds else None


def _follows_protocol(anything: Any) -> TypeGuard[Retriever]:
    """True if it has a `search` whose first argument is a list of queries and whose second is a number of hits."""
    if isinstance(anything, type) or not callable(getattr(anything, "search", None)):
        return False
    if hasattr(anything, "similarity_search"):  # LangChain's `search` takes a kind of search
        return False
    call = _Call.read(anything.search, f"{_name_of(anything)}.search", batch=True)
    return call.batch and not call.waits and call.k_name == ""


def _call_of(wrapped: Any, name: str) -> _Call:
    if isinstance(wrapped, type):
        raise InputError(f"{name} is a class, no retriever; give an instance of it.")
    dspy: Any = sys.modules.get("dspy")
    if dspy is not None and isinstance(wrapped, dspy.Embedder | dspy.BaseLM):
        raise InputError(f"{name} is no retriever: it does not search; dspy.Embeddings makes one of an embedder.")
    if hasattr(wrapped, "similarity_search"):
        raise InputError(f"{name} is a vector store; {_ITS_LINE}.")
    for method in ("asearch", "search"):
        if callable(getattr(wrapped, method, None)):
            return _Call.read(getattr(wrapped, method), f"{name}.{method}", batch=True)
    if isinstance(wrapped, str | os.PathLike):
        raise InputError(f"{name} is no retriever; multihop.data.open_retriever({wrapped!r:.60}) opens one.")
    if not callable(wrapped):
        raise InputError(
            f"{wrapped!r:.60} is no retriever; it must have search(queries, k) or asearch(queries, k), or be callable "
            f"as f(query, k); {_ITS_LINE}."
        )
    if hasattr(wrapped, "aforward"):  # of DSPy's modules and retrievers, whose own call takes anything
        return _Call.read(wrapped.acall, name, batch=False, like=wrapped.aforward)
    return _Call.read(wrapped, name, batch=False, like=getattr(wrapped, "forward", None))


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
