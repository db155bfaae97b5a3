"""The whole application: routes, refusals, and the guard before them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from ... import __version__
from ..refusal import Refusal
from ..service import Service
from .ask_routes import ask_routes
from .chat_routes import chat_routes
from .guard import Guard
from .replies import reply_to_refusal
from .state_routes import state_routes


def make_application(
    service: Service, *, keys: Sequence[str] = (), fresh_every: float = 0.0, local: bool = False
) -> ASGIApp:
    """The service as an ASGI application.

    Args:
        service: What answers.
        keys: Keys of which clients must send one; none are asked for where there are none.
        fresh_every: Seconds between two looks at the files of saved programs; 0 never looks.
        local: Whether only this machine is to ask; see `Guard`.

    Examples:
        >>> from fastapi.testclient import TestClient
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Catalogue, Served, ProgramSource
        >>> from multihop.serve.service import Service
        >>> from multihop.serve.web.application import make_application
        >>> served = Served(name="direct", program=Direct(), lm=scripted([{"answer": "Po"}]))
        >>> client = TestClient(make_application(Service(Catalogue([ProgramSource("direct", lambda: served)]))))
        >>> client.post("/ask", json={"question": "Which river?"}).json()["answer"]
        'Po'
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        task = None
        if fresh_every:
            task = asyncio.create_task(service.catalogue.keep_fresh(fresh_every, service.log, service.metrics))
        yield
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    application = FastAPI(
        title="multihop",
        version=__version__,
        description="Multi-hop question answering.",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    for routes in (ask_routes(service), chat_routes(service), state_routes(service)):
        application.include_router(routes)
    application.add_exception_handler(Refusal, _refused)
    application.add_exception_handler(HTTPException, _no_such_request)
    application.add_exception_handler(RequestValidationError, _not_as_described)
    limits = service.limits
    return Guard(
        application, keys=keys, largest=limits.body_bytes, patience=limits.patience, log=service.log, local=local
    )


async def _refused(request: Request, error: Any) -> Response:
    return reply_to_refusal(request.scope["path"], error)


async def _no_such_request(request: Request, error: Any) -> Response:
    sentences = {
        404: "there is nothing here; GET /openapi.json says what there is.",
        405: "this is asked with another method; GET /openapi.json says with which.",
        400: "the body cannot be read; send one JSON object in UTF-8.",
    }
    sentence = sentences.get(error.status_code, str(error.detail))
    refusal = Refusal(error.status_code, sentence, **(error.headers or {}))
    return reply_to_refusal(request.scope["path"], refusal)


async def _not_as_described(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return reply_to_refusal(request.scope["path"], Refusal(400, "the body is no JSON; send one JSON object."))
    kind = request.headers.get("content-type", "")
    if "json" not in kind:
        return reply_to_refusal(
            request.scope["path"], Refusal(415, "send the body with the header Content-Type: application/json.")
        )
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    what = f"'{place:.80}' of the body" if place else "the body"
    return reply_to_refusal(request.scope["path"], Refusal(422, f"{what} cannot be used: {first['msg']:.200}."))
