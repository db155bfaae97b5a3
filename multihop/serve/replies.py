"""Replies: JSON, server-sent events, and work that ends when its client has left."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ..base.texts import as_json
from .operation import Refusal

Result = TypeVar("Result")

_ALIVE = 15.0
"""Seconds of silence after which a comment says that the connection is alive."""


class JsonReply(Response):
    """Any record as JSON, in ASCII: a text may hold what no encoding has."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes that are sent."""
        return as_json(content, ascii_only=True).encode() + b"\n"


def reply_to_refusal(path: str, refusal: Refusal) -> JsonReply:
    """A refusal, in OpenAI's words where its protocol is spoken."""
    error = openai_error(refusal) if path.startswith("/v1/") else refusal.sentence
    return JsonReply({"error": error}, refusal.status, refusal.headers)


def openai_error(refusal: Refusal) -> dict[str, Any]:
    """A refusal as OpenAI's clients read it."""
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    kind = kinds.get(refusal.status, "server_error" if refusal.status >= 500 else "invalid_request_error")
    code = "model_not_found" if refusal.status == 404 else None
    return {"message": refusal.sentence, "type": kind, "param": None, "code": code}


def event(name: str, content: Any) -> str:
    """A server-sent event."""
    return f"event: {name}\n{data(content)}"


def data(content: Any) -> str:
    """A server-sent event without a name."""
    return f"data: {as_json(content, ascii_only=True)}\n\n"


def event_stream(events: AsyncGenerator[str, None]) -> Response:
    """The events as they come; when the client leaves, they are closed."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_kept_alive(events), media_type="text/event-stream", headers=headers)


async def _kept_alive(events: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    coming: asyncio.Future[str] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events))
            if not (await asyncio.wait([coming], timeout=_ALIVE))[0]:
                yield ": still at work\n\n"
                continue
            try:
                text = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield text
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await events.aclose()


async def while_there(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Await the work's result; the work is cancelled when the client leaves."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(left())
    try:
        await asyncio.wait([task, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Refusal(499, "the client has left.")
        return task.result()
    finally:
        for each in (task, leaving):
            each.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
