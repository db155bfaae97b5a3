"""The whole application: routes, refusals, and the guard before them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from .. import __version__
from .ask_routes import ask_routes
from .catalogue import looking
from .chat_routes import chat_routes
from .guard import Guard
from .page_routes import page_routes
from .refusal import Refusal
from .replies import JsonReply, in_pieces, reply_to_refusal, while_there
from .searching import IndexService, RetrieveRequest
from .service import Service


def make_application(
    service: Service,
    *,
    keys: Sequence[str] = (),
    fresh_every: float = 0.0,
    local: bool = False,
    examples: Sequence[str] = (),
) -> ASGIApp:
    """The service as an ASGI application.

    Args:
        service: The service that answers.
        keys: Keys of which clients must send one; none are asked for where there are none.
        fresh_every: Seconds between two looks at the files of saved programs and at the indexes; 0 never looks.
        local: True if only this machine is to ask; see `Guard`.
        examples: Questions that the page offers.

    Examples:
        >>> from fastapi.testclient import TestClient
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Catalogue, Served, ProgramSource
        >>> from multihop.serve.service import Service
        >>> from multihop.serve.application import make_application
        >>> served = Served(name="direct", program=Direct(), lm=scripted([{"answer": "Po"}]))
        >>> client = TestClient(make_application(Service(Catalogue([ProgramSource("direct", lambda: served)]))))
        >>> client.post("/ask", json={"question": "Which river?"}).json()["answer"]
        'Po'
    """
    pages = page_routes(service, examples=examples)
    routes = [ask_routes(service), chat_routes(service), state_routes(service), pages]
    return guarded(service, routes, keys=keys, fresh_every=fresh_every, local=local)


def make_index_application(service: IndexService, *, fresh_every: float = 0.0, local: bool = False) -> ASGIApp:
    """The service as an ASGI application.

    Args:
        service: The service that answers.
        fresh_every: Seconds between two looks whether the index has changed; 0 never looks.
        local: True if only this machine is to ask; see `Guard`.

    Examples:
        >>> from fastapi.testclient import TestClient
        >>> from multihop.retrieval import BM25, Passage
        >>> from multihop.serve.application import make_index_application
        >>> from multihop.serve.searching import IndexService
        >>> service = IndexService(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        >>> client = TestClient(make_index_application(service))
        >>> client.post("/retrieve", json={"queries": ["rivers"]}).json()["result"][0][0]["title"]
        'Po'
    """
    routes = APIRouter()

    @routes.post("/retrieve", summary="Search, as Search-R1 and FlashRAG ask")
    async def retrieve(body: RetrieveRequest, request: Request) -> Response:
        found = await while_there(request, service.search(body))
        return in_pieces(found.pieces(), found.release)

    @routes.get("/healthz", summary="The passages that are searched")
    async def healthz() -> Response:
        return JsonReply(service.health())

    return guarded(service, [routes], fresh_every=fresh_every, local=local)


def guarded(
    service: Service | IndexService,
    routes: Sequence[APIRouter],
    *,
    keys: Sequence[str] = (),
    fresh_every: float = 0.0,
    local: bool = False,
) -> ASGIApp:
    """An application of some routes, which looks at the service's files, with the guard before it.

    Args:
        service: The service that answers, and whose limits are kept.
        routes: The routes.
        keys: Keys of which clients must send one; none are asked for where there are none.
        fresh_every: Seconds between two looks at files; 0 never looks.
        local: True if only this machine is to ask; see `Guard`.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    # The pages that FastAPI has for its routes load scripts from elsewhere.
    application = FastAPI(title="multihop", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    for each in routes:
        application.include_router(each)
    answer_refusals(application)
    limits = service.limits
    return Guard(
        application, keys=keys, largest=limits.body_bytes, patience=limits.patience, log=service.log, local=local
    )


def state_routes(service: Service) -> APIRouter:
    """The routes about the server itself."""
    router = APIRouter()

    @router.get("/healthz", summary="Whether the process lives")
    async def healthz() -> Response:
        return JsonReply({"status": "ok"})

    @router.get("/readyz", summary="Whether questions are taken")
    async def readyz() -> Response:
        if service.draining:
            return JsonReply({"status": "draining"}, 503, {"Retry-After": "1"})
        return JsonReply({"status": "ready"})

    @router.get("/metrics", summary="Counts and times, for Prometheus")
    async def metrics() -> Response:
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4")

    return router


_SENTENCES = {
    404: "there is nothing here; GET /openapi.json says what there is.",
    405: "this is asked with another method; GET /openapi.json says with which.",
    400: "the body cannot be read; send one JSON object in UTF-8.",
}


def answer_refusals(application: FastAPI) -> None:
    """Have the application reply with a sentence to what it refuses, or FastAPI before it."""

    async def refuse(request: Request, error: Any) -> Response:
        return reply_to_refusal(request.scope["path"], _refusal_of(request, error))

    application.add_middleware(_HeadAsGet)
    for kind in (Refusal, HTTPException, RequestValidationError):
        application.add_exception_handler(kind, refuse)


class _HeadAsGet:
    """Answers HEAD as GET; the server sends no body of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def _refusal_of(request: Request, error: Any) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        sentence = _SENTENCES.get(error.status_code, str(error.detail))
        return Refusal(error.status_code, sentence, **(error.headers or {}))
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return Refusal(400, "the body is no JSON; send one JSON object.")
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    what = f"'{place:.80}' of the body" if place else "the body"
    return Refusal(422, f"{what} cannot be used: {first['msg']:.200}.")
