"""An index as an ASGI application: `POST /retrieve`, as Search-R1 and FlashRAG ask it, and `GET /healthz`."""

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.types import ASGIApp

from ... import __version__
from ..index_service import IndexService
from .guard import Guard
from .refusals import answer_refusals
from .replies import JsonReply, while_there
from .retrieve_schema import RETRIEVE_BODY, RETRIEVE_REPLY


def make_index_application(service: IndexService) -> ASGIApp:
    """The service as an ASGI application.

    Examples:
        >>> from fastapi.testclient import TestClient
        >>> from multihop.retrieval import BM25, Passage
        >>> from multihop.serve.index_service import IndexService
        >>> from multihop.serve.web.index_application import make_index_application
        >>> service = IndexService(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        >>> client = TestClient(make_index_application(service))
        >>> client.post("/retrieve", json={"queries": ["rivers"]}).json()["result"][0][0]["title"]
        'Po'
    """
    application = FastAPI(title="multihop index", version=__version__, docs_url=None, redoc_url=None)
    answer_refusals(application)

    @application.post("/retrieve", summary="Search", responses={200: RETRIEVE_REPLY}, openapi_extra=RETRIEVE_BODY)
    async def retrieve(request: Request) -> Response:
        return JsonReply(await while_there(request, service.retrieve(await request.body())))

    @application.get("/healthz", summary="The passages that are searched")
    async def healthz() -> Response:
        return JsonReply(service.health())

    limits = service.limits
    return Guard(application, keys=(), largest=limits.body_bytes, patience=limits.patience, log=service.log)
