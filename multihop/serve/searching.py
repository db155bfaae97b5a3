"""`POST /retrieve` on every server: Search-R1's and FlashRAG's protocol over any retriever."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import ujson

from ..retrieval import Hit, Retriever, find
from .refusal import Refusal

DEFAULT_K = 5
RETRIEVE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"example": {"queries": ["Night Train"], "topk": 5, "return_scores": True}}},
    }
}
RETRIEVE_REPLY: dict[str, Any] = {
    "description": "For each query its hits, best first, as Search-R1 and FlashRAG read them.",
    "content": {"application/json": {"example": {"result": [[{"document": {"id": "p1"}, "score": 3.1}]]}}},
}


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """The limits of the searches by one retriever."""

    k: int = 1000
    """Hits for a query."""
    queries: int = 1024
    """Queries of one request."""
    waiting: int = 4096
    """Queries of all requests that are being searched for or wait for it; 503 with Retry-After above."""


class RetrieveRequest(NamedTuple):
    """Some queries, and how many hits are wanted for each."""

    queries: list[str]
    k: int
    scores: bool
    """True if hits are wanted with their scores, false for the documents alone."""

    @classmethod
    def read(cls, body: bytes, *, most_queries: int, largest_k: int) -> "RetrieveRequest":
        """The request in a body.

        Raises:
            Refusal: It is none, or asks for too much.
        """
        try:
            asked = ujson.loads(body)
        except (ValueError, RecursionError):
            raise Refusal(400, 'the body is no JSON; send {"queries": ["..."], "topk": 5}.') from None
        if not isinstance(asked, dict):
            raise Refusal(400, 'the body is no JSON object; send {"queries": ["..."], "topk": 5}.')
        queries = _queries(asked)
        if len(queries) > most_queries:
            raise Refusal(413, f"{len(queries)} queries are too many at once; send at most {most_queries}.")
        k = next((asked[name] for name in ("topk", "k") if asked.get(name) is not None), DEFAULT_K)
        if type(k) is not int or k < 1:
            raise Refusal(400, f"'topk' is a whole number from 1 on, not {k!r:.40}.")
        if k > largest_k:
            raise Refusal(400, f"'topk' is at most {largest_k} here, not {k}.")
        scores = asked.get("return_scores", False)
        if not isinstance(scores, bool):
            raise Refusal(400, f"'return_scores' is true or false, not {scores!r:.40}.")
        return cls(queries, k, scores)


def _queries(asked: dict[str, Any]) -> list[str]:
    queries = asked.get("queries", asked.get("query"))
    if isinstance(queries, str):
        queries = [queries]
    if not isinstance(queries, list) or not queries:
        raise Refusal(400, "'queries' is missing or empty; it is a list of texts.")
    for number, query in enumerate(queries, 1):
        if not isinstance(query, str):
            raise Refusal(400, f"query {number} is {query!r:.40}, not a text.")
    return queries


class PassageSearch:
    """Searches for what strangers ask, in one batch where they ask at the same time and the retriever takes batches."""

    def __init__(self, retriever: Retriever, limits: SearchLimits | None = None) -> None:
        """Nobody has asked yet."""
        self.retriever, self.limits = retriever, limits or SearchLimits()
        self.waiting = 0
        """Queries that are being searched for or wait for it."""

    async def answer(self, body: bytes) -> dict[str, Any]:
        """The hits for the queries of a request's body.

        Raises:
            Refusal: It is no such request, too much is asked, or the search failed.
        """
        asked = RetrieveRequest.read(body, most_queries=self.limits.queries, largest_k=self.limits.k)
        if self.waiting + len(asked.queries) > self.limits.waiting:
            raise Refusal(503, f"{self.waiting} queries wait already; ask again in a second.", Retry_After="1")
        self.waiting += len(asked.queries)
        try:
            rankings = await asyncio.gather(*[find(self.retriever, query, asked.k) for query in asked.queries])
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
