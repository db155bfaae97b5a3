"""The whole application: routes, refusals, and the guard before them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from ... import __version__
from ..fresh import looking
from ..service import Service
from .ask_routes import ask_routes
from .chat_routes import chat_routes
from .guard import Guard
from .page.page_routes import page_routes
from .refusals import answer_refusals
from .state_routes import state_routes


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
        >>> from multihop.serve.web.application import make_application
        >>> served = Served(name="direct", program=Direct(), lm=scripted([{"answer": "Po"}]))
        >>> client = TestClient(make_application(Service(Catalogue([ProgramSource("direct", lambda: served)]))))
        >>> client.post("/ask", json={"question": "Which river?"}).json()["answer"]
        'Po'
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    application = FastAPI(
        title="multihop",
        version=__version__,
        description="Multi-hop question answering.",
        docs_url=None,  # those pages load scripts from elsewhere; /docs is our own
        redoc_url=None,
        lifespan=lifespan,
    )
    pages = page_routes(service, examples=examples, asks_for_key=bool(keys))
    for routes in (ask_routes(service), chat_routes(service), state_routes(service), pages):
        application.include_router(routes)
    answer_refusals(application)
    limits = service.limits
    return Guard(
        application, keys=keys, largest=limits.body_bytes, patience=limits.patience, log=service.log, local=local
    )
