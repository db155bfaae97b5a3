"""The request of `POST /retrieve`, read from a body that anybody may have written."""

from typing import Any, NamedTuple

import ujson

from .refusal import Refusal

DEFAULT_K = 5


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

        Examples:
            >>> from multihop.serve.retrieve_request import RetrieveRequest
            >>> RetrieveRequest.read(b'{"queries": ["Po"], "topk": 3}', most_queries=10, largest_k=100)
            RetrieveRequest(queries=['Po'], k=3, scores=False)
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
