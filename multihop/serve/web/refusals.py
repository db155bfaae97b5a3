"""Refusals as replies: whatever an application cannot answer is a status and one sentence."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from ..refusal import Refusal
from .replies import reply_to_refusal

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
