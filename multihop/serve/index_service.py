"""A retriever for other processes and machines: how much they may ask at once, and the state it is in."""

from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

from ..retrieval import Retriever, fingerprint
from .event_log import EventLog
from .refusal import Refusal
from .searching import PassageSearch, SearchLimits


@dataclass(frozen=True, kw_only=True)
class IndexLimits(SearchLimits):
    """The most that one server takes on; more is refused with a sentence that says what would be taken."""

    connections: int = 512
    """Clients at once; 503 above."""
    body_bytes: int = 4 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole, and, at the end, what is under way be done."""


class IndexService:
    """Searches for what clients ask; queries that come at the same time are one batch, if the retriever takes batches.

    Examples:
        >>> from multihop.retrieval import BM25, Passage
        >>> from multihop.serve.index_service import IndexService
        >>> service = IndexService(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        >>> service.health()["passages"]
        1
    """

    def __init__(self, retriever: Retriever, limits: IndexLimits | None = None, *, log: EventLog | None = None) -> None:
        """Nobody has asked yet."""
        self._retriever = retriever
        self.limits, self.log = limits or IndexLimits(), log or EventLog()
        self.searching = PassageSearch(retriever, self.limits)
        self.draining = False
        """True once the server is about to end."""

    def health(self) -> dict[str, Any]:
        """The passages that are searched, and how many queries wait.

        Raises:
            Refusal: The server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end.", Retry_After="1")
        size = {"passages": len(self._retriever)} if isinstance(self._retriever, Sized) else {}
        return {"status": "ok", **size, "fingerprint": fingerprint(self._retriever), "waiting": self.searching.waiting}

    async def retrieve(self, body: bytes) -> dict[str, Any]:
        """The hits for the queries of a request's body.

        Raises:
            Refusal: It is no such request, too much is asked, the search failed, or the server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end; ask another.", Retry_After="1")
        return await self.searching.answer(body)
