"""Refusals as replies: whatever an application cannot answer is a status and one sentence."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ..refusal import Refusal
from .replies import reply_to_refusal


def answer_refusals(application: FastAPI) -> None:
    """Have the application reply with a sentence to what it refuses, or FastAPI before it.

    Examples:
        >>> from fastapi import FastAPI
        >>> from fastapi.testclient import TestClient
        >>> from multihop.serve.web.refusals import answer_refusals
        >>> application = FastAPI()
        >>> answer_refusals(application)
        >>> TestClient(application).get("/nothing").json()
        {'error': 'there is nothing here; GET /openapi.json says what there is.'}
    """
    application.add_exception_handler(Refusal, _refused)
    application.add_exception_handler(HTTPException, _no_such_request)
    application.add_exception_handler(RequestValidationError, _not_as_described)


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
