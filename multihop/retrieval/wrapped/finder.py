"""One query at a time for the asker, batches for the retriever."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from functools import partial
from typing import Any

from ...base import ask_together, in_thread
from ..passage import Hit
from ..retriever import Retriever
from .adapter import Adapted
from .results import read_rankings


async def find(retriever: Retriever, query: str, k: int) -> list[Hit]:
    """The hits for one query, searched for together with what others on this event loop ask at the same time.

    Queries of the same `k` share a batch (`multihop.base.batcher`). `search` runs in a worker thread; where it is
    async, or where a retriever has `asearch`, that is awaited on the loop. Where `as_retriever` made it of something
    that takes one query at a time, there is no batch.

    Examples:
        >>> import asyncio
        >>> from multihop.retrieval import BM25, Passage, find
        >>> retriever = BM25.build([Passage("p1", "Po", "A river."), Passage("p2", "Etna", "A volcano.")])
        >>> async def main():
        ...     return await asyncio.gather(*[find(retriever, query, k=1) for query in ("river", "volcano")])
        >>> [hits[0].passage.title for hits in asyncio.run(main())]
        ['Po', 'Etna']
    """
    if isinstance(retriever, Adapted) and not retriever.takes_batches:
        found: list[Hit] = await _wait_for(retriever.find, query, k)
        return found
    hits = await ask_together(retriever, k, query, partial(search_batch, retriever))
    return list(hits)  # a list of one's own, free to change


async def search_batch(retriever: Retriever, k: int, queries: list[str], context: Context) -> Sequence[list[Hit]]:
    """One batch, under the given context variables: as many rankings as queries, or an error."""
    waiting = getattr(retriever, "asearch", None)
    if waiting is None and inspect.iscoroutinefunction(retriever.search):
        waiting = retriever.search
    if waiting is None:
        rankings = await in_thread(context, retriever.search, queries, k)
    else:
        rankings = await asyncio.get_running_loop().create_task(_wait_for(waiting, queries, k), context=context)
    return read_rankings(rankings, len(queries), type(retriever).__name__)


async def _wait_for(search: Callable[..., Awaitable[Any]], queries: list[str] | str, k: int) -> Any:
    try:
        return await search(queries, k)
    except SystemExit as error:  # it would end the event loop, and every other question with it
        raise RuntimeError(f"{getattr(search, '__qualname__', search)} raised {error!r}") from error
