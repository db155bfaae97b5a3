"""The answer of `POST /retrieve` on every server: Search-R1's and FlashRAG's protocol over any retriever."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..retrieval import Hit, Retriever, find
from .refusal import Refusal
from .retrieve_request import RetrieveRequest


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """The limits of the searches by one retriever."""

    k: int = 1000
    """Hits for a query."""
    queries: int = 1024
    """Queries of one request."""
    waiting: int = 4096
    """Queries of all requests that are being searched for or wait for it; 503 with Retry-After above."""


class PassageSearch:
    """Searches for what strangers ask, in one batch where they ask at the same time and the retriever takes batches.

    Examples:
        >>> import asyncio
        >>> from multihop.retrieval import BM25, Passage
        >>> from multihop.serve.searching import PassageSearch
        >>> searching = PassageSearch(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        >>> asyncio.run(searching.answer(b'{"queries": ["rivers"]}'))["result"][0][0]["title"]
        'Po'
    """

    def __init__(self, retriever: Retriever, limits: SearchLimits | None = None) -> None:
        """Nobody has asked yet."""
        self._retriever, self._limits = retriever, limits or SearchLimits()
        self.waiting = 0
        """Queries that are being searched for or wait for it."""

    async def answer(self, body: bytes) -> dict[str, Any]:
        """The hits for the queries of a request's body.

        Raises:
            Refusal: It is no such request, too much is asked, or the search failed.
        """
        asked = RetrieveRequest.read(body, most_queries=self._limits.queries, largest_k=self._limits.k)
        if self.waiting + len(asked.queries) > self._limits.waiting:
            raise Refusal(503, f"{self.waiting} queries wait already; ask again in a second.", Retry_After="1")
        self.waiting += len(asked.queries)
        try:
            rankings = await asyncio.gather(*[find(self._retriever, query, asked.k) for query in asked.queries])
        except Exception as error:  # whatever a retriever does wrong, nobody outside gets to see a traceback
            sys.stderr.write(f"multihop: the search failed: {type(error).__name__}: {' '.join(str(error).split())}\n")
            raise Refusal(500, "the search failed; the server's own error output says why.") from None
        finally:
            self.waiting -= len(asked.queries)
        return {"result": [_written(hits, asked.scores) for hits in rankings]}


def _written(hits: Sequence[Hit], scores: bool) -> list[dict[str, Any]]:
    """The hits as they are sent: under "contents" the title in quotes on the first line, for those who read that."""
    documents = [
        {**passage._asdict(), "contents": f'"{passage.title}"\n{passage.text}'}
        for passage in (hit.passage for hit in hits)
    ]
    if not scores:
        return documents
    return [{"document": document, "score": float(hit.score)} for document, hit in zip(documents, hits, strict=True)]
