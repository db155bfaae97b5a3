"""One query at a time for the asker, batches for the retriever."""

import asyncio
from collections.abc import Sequence
from contextvars import Context
from functools import partial
from typing import Any

from ..desk import ask_together, in_thread
from ..errors import InputError
from .passage import Hit
from .retriever import Retriever


async def find(retriever: Retriever, query: str, k: int) -> list[Hit]:
    """The hits for one query, searched for together with what others on this event loop ask at the same time.

    Queries of the same `k` share a batch (`multihop.desk`). `search` runs in a worker thread, `asearch`, where a
    retriever has it, on the loop.

    Examples:
        >>> import asyncio
        >>> from multihop.retrieval import BM25, Passage, find
        >>> retriever = BM25.build([Passage("p1", "Po", "A river."), Passage("p2", "Etna", "A volcano.")])
        >>> async def main():
        ...     return await asyncio.gather(*[find(retriever, query, k=1) for query in ("river", "volcano")])
        >>> [hits[0].passage.title for hits in asyncio.run(main())]
        ['Po', 'Etna']
    """
    hits = await ask_together(retriever, k, query, partial(_search, retriever))
    return list(hits)  # a list of one's own, free to change


async def _search(retriever: Retriever, k: int, queries: list[str], context: Context) -> Sequence[list[Hit]]:
    """One batch, under the given context variables: as many rankings as queries, or an error."""
    if hasattr(retriever, "asearch"):
        waiting = _search_waiting(retriever, queries, k)
        rankings = await asyncio.get_running_loop().create_task(waiting, context=context)
    else:
        rankings = await in_thread(context, retriever.search, queries, k)
    if not isinstance(rankings, Sequence) or len(rankings) != len(queries):
        count = f"{len(rankings)} rankings" if isinstance(rankings, Sequence) else f"a {type(rankings).__name__}"
        name = type(retriever).__name__
        raise InputError(f"{name} returned {count} for {len(queries)} queries; it must return one ranking per query.")
    return rankings


async def _search_waiting(retriever: Any, queries: list[str], k: int) -> Any:
    return await retriever.asearch(queries, k)
