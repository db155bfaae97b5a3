"""The whole application: routes, refusals, and the gate before them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from .. import __version__
from .ask_routes import ask_routes, page_routes
from .catalogue import looking
from .chat_routes import chat_routes
from .operation import Refusal
from .replies import JsonReply, reply_to_refusal, while_there
from .service import IndexService, RetrieveRequest, Service
from .web_server import Gate, longer_than

_SENTENCES = {
    404: "there is nothing here; GET /openapi.json says what there is.",
    405: "this is asked with another method; GET /openapi.json says with which.",
    400: "the body cannot be read; send one JSON object in UTF-8.",
}


def make_application(
    service: Service,
    *,
    keys: Sequence[str] = (),
    fresh_every: float = 0.0,
    local: bool = False,
    examples: Sequence[str] = (),
) -> ASGIApp:
    """The service as an ASGI application, whose page offers some example questions; for `keys` and `local` see `Gate`.

    It looks every `fresh_every` seconds whether an index has changed; where that is 0, never.
    """
    state = APIRouter()

    @state.head("/healthz", include_in_schema=False)
    @state.get("/healthz", summary="Whether the process lives")
    async def healthz() -> Response:
        return JsonReply({"status": "ok"})

    @state.head("/readyz", include_in_schema=False)
    @state.get("/readyz", summary="Whether questions are taken")
    async def readyz() -> Response:
        return JsonReply({"status": "ready"})

    @state.get("/metrics", summary="Counts and times, for Prometheus")
    async def metrics() -> Response:
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4")

    routes = [ask_routes(service), chat_routes(service), state, page_routes(service, examples=examples)]
    return _gated(service, routes, keys=keys, fresh_every=fresh_every, local=local)


def make_index_application(service: IndexService, *, fresh_every: float = 0.0, local: bool = False) -> ASGIApp:
    """The service of an index as an ASGI application."""
    routes = APIRouter()

    @routes.post("/retrieve", summary="Search, as Search-R1 and FlashRAG ask")
    async def retrieve(body: RetrieveRequest, request: Request) -> Response:
        hits = await while_there(request, service.find(service.retriever, body))
        return await asyncio.to_thread(lambda: JsonReply(body.answer(hits)))

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", summary="The passages that are searched")
    async def healthz() -> Response:
        return JsonReply(service.health())

    return _gated(service, [routes], fresh_every=fresh_every, local=local)


def _gated(
    service: Service | IndexService,
    routes: Sequence[APIRouter],
    *,
    keys: Sequence[str] = (),
    fresh_every: float,
    local: bool,
) -> ASGIApp:
    """An application of some routes, which looks at the service's files, with the gate before it."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    # The pages that FastAPI has for its routes load scripts from elsewhere.
    application = FastAPI(
        title="multihop",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        max_body_size=service.limits.body_bytes,
    )
    for each in routes:
        application.include_router(each)

    async def refuse(request: Request, error: Any) -> Response:
        return reply_to_refusal(request.scope["path"], _refusal_of(error, service.limits.body_bytes))

    for kind in (Refusal, HTTPException, RequestValidationError, Exception):
        application.add_exception_handler(kind, refuse)
    return Gate(application, keys=keys, largest=service.limits.body_bytes, log=service.log, local=local)


def _refusal_of(error: Any, largest: int) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        if error.status_code == 413:
            return longer_than(largest)
        sentence = _SENTENCES.get(error.status_code, str(error.detail))
        return Refusal(error.status_code, sentence, **(error.headers or {}))
    if not isinstance(error, RequestValidationError):
        return Refusal(500, "the server failed; its log says where.")
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return Refusal(400, "the body is no JSON; send one JSON object.")
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    what = f"'{place:.80}' of the body" if place else "the body"
    return Refusal(422, f"{what} cannot be used: {first['msg']:.200}.")
