"""An index as a server: `POST /retrieve`, as Search-R1 and FlashRAG ask it, and `GET /healthz`."""

from collections.abc import AsyncIterator, Sized
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.types import ASGIApp

from .. import __version__
from ..retrieval import Retriever, fingerprint
from .application import answer_refusals
from .catalogue import IndexWatch, looking
from .guard import Guard
from .log import EventLog
from .refusal import Refusal
from .replies import JsonReply, in_pieces, while_there
from .searching import Found, PassageSearch, RetrieveRequest, SearchLimits


@dataclass(frozen=True, kw_only=True)
class IndexLimits(SearchLimits):
    """The most that one server takes on; more is refused with a sentence that says what would be taken."""

    connections: int = 512
    """Clients at once: a further one takes the place of one that asks or takes nothing, or else gets 503."""
    body_bytes: int = 4 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole and a reply be taken, and, at the end, what is under way be done."""


class IndexService(PassageSearch):
    """Searches for what clients ask, until the server is about to end."""

    def __init__(self, retriever: Retriever, limits: IndexLimits | None = None, *, log: EventLog | None = None) -> None:
        """Nobody has asked yet."""
        super().__init__(retriever, limits := limits or IndexLimits(), log=log)
        self.limits: IndexLimits = limits
        self.draining = False
        """True once the server is about to end."""
        self._watch = IndexWatch()

    async def look(self) -> None:
        """Take over what others have changed in the index; searches under way end where they began."""
        self.retriever = await self._watch.latest(self.retriever, "index", self.log)

    def health(self) -> dict[str, Any]:
        """The passages that are searched, and how many queries wait.

        Raises:
            Refusal: The server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end.", Retry_After="1")
        size = {"passages": len(self.retriever)} if isinstance(self.retriever, Sized) else {}
        return {"status": "ok", **size, "fingerprint": fingerprint(self.retriever), "waiting": self.waiting}

    async def search(self, asked: RetrieveRequest) -> Found:
        """The hits for the queries, to be released once they are sent.

        Raises:
            Refusal: Too much is asked, the search failed, or the server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end; ask another.", Retry_After="1")
        return await super().search(asked)


def make_index_application(service: IndexService, *, fresh_every: float = 0.0, local: bool = False) -> ASGIApp:
    """The service as an ASGI application.

    Args:
        service: The service that answers.
        fresh_every: Seconds between two looks whether the index has changed; 0 never looks.
        local: True if only this machine is to ask; see `Guard`.

    Examples:
        >>> from fastapi.testclient import TestClient
        >>> from multihop.retrieval import BM25, Passage
        >>> from multihop.serve.index_application import IndexService, make_index_application
        >>> service = IndexService(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        >>> client = TestClient(make_index_application(service))
        >>> client.post("/retrieve", json={"queries": ["rivers"]}).json()["result"][0][0]["title"]
        'Po'
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    application = FastAPI(title="multihop index", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    answer_refusals(application)

    @application.post("/retrieve", summary="Search, as Search-R1 and FlashRAG ask")
    async def retrieve(body: RetrieveRequest, request: Request) -> Response:
        found = await while_there(request, service.search(body))
        return in_pieces(found.pieces(), found.release)

    @application.get("/healthz", summary="The passages that are searched")
    async def healthz() -> Response:
        return JsonReply(service.health())

    limits = service.limits
    return Guard(
        application, keys=(), largest=limits.body_bytes, patience=limits.patience, log=service.log, local=local
    )
