"""A server with the `/retrieve` of Search-R1 and FlashRAG as a retriever."""

from collections.abc import Mapping, Sequence
from typing import Any

import ujson

from .address import Address
from .connection import json_answer
from .server_retriever import ServerRetriever

PATH = "/retrieve"
HEALTH = "/healthz"
TOO_LONG = 413
"""The status of a server that would answer fewer queries at once."""


class RemoteRetriever(ServerRetriever):
    """A retriever behind `POST /retrieve`, which takes {"queries": [...], "topk": k, "return_scores": true}.

    It answers {"result": [[{"document": {...}, "score": 1.5}]]}, a list of hits for each query. What is usual beside
    that is read too: "results" for "result", or the lists alone; documents without scores, or documents and scores in
    two lists; texts under "contents", with or without the title in quotes on their first line.

    `multihop serve-index` is such a server; it also says what its index is, so that the fingerprint is the index's own.

    Examples:
        >>> from multihop.retrieval import RemoteRetriever
        >>> RemoteRetriever("http://localhost:8000")
        RemoteRetriever(http://localhost:8000/retrieve)
    """

    def _place(self, address: Address) -> Address:
        return address if address.path else address.at(PATH)

    async def _rank(self, client: Any, queries: Sequence[str], k: int) -> Any:
        asked = {"queries": list(queries), "topk": k, "return_scores": True}
        response = await self._connection.send(client, "POST", self.address, json=asked)
        if response.status_code == TOO_LONG and len(queries) > 1:
            half = len(queries) // 2
            return [*await self._rank(client, queries[:half], k), *await self._rank(client, queries[half:], k)]
        return _rankings(json_answer(response, self.address), len(queries))

    async def _identify(self, client: Any) -> str:
        health = self.address.at(HEALTH)._replace(query="")
        response = await self._connection.send(client, "GET", health)
        try:
            given = ujson.loads(response.content)["fingerprint"] if response.is_success else ""
        except (ValueError, LookupError, TypeError):  # of another kind, which says nothing of its index
            return ""
        return given if isinstance(given, str) else ""


def _rankings(answer: Any, queries: int) -> Any:
    """The lists of hits in an answer, as far as its form is known."""
    if isinstance(answer, Mapping):
        answer = next((answer[name] for name in ("result", "results") if name in answer), answer)
    if _is_list(answer) and len(answer) == 2 and all(map(_is_list, answer)):
        documents, scores = answer
        if _scores(scores) and len(documents) == len(scores) and not _scores(documents):
            return [_paired(*both) for both in zip(documents, scores, strict=True)]
        if queries == 1 and _numbers(scores) and len(documents) == len(scores):
            return [_paired(documents, scores)]
    if queries == 1 and _is_list(answer) and answer and all(isinstance(each, Mapping) for each in answer):
        return [answer]  # the hits of the one query, without a list around them
    return answer


def _paired(documents: Sequence[Any], scores: Sequence[float]) -> list[dict[str, Any]]:
    return [{"document": each, "score": score} for each, score in zip(documents, scores, strict=False)]


def _scores(values: Sequence[Any]) -> bool:
    """True if these are scores for each query."""
    return all(_is_list(each) and _numbers(each) for each in values) and any(values)


def _numbers(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(each, int | float) for each in values)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
