"""`POST /v1/chat/completions` and `GET /v1/models`: a program as a model, for whatever talks to OpenAI's."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...runtime import TrajectoryStep
from ..answer_tokens import AnswerToken
from ..catalogue import Served
from ..refusal import Refusal
from ..service import Answered, Service
from .bodies import ChatBody, answer_example
from .chat_shapes import all_but_steps, annotations, chunk, completion, step_in_words, usage
from .replies import JsonReply, data, event_stream, openai_error, while_there

_COMPLETION = {
    "description": "A completion whose text is the answer, or, with `stream`, its chunks; citations are annotations.",
    "content": {"application/json": {"example": completion("chatcmpl-1", 0, "tor", answer_example())}},  # type: ignore[arg-type]
}


def chat_routes(service: Service) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/v1")

    @router.post("/chat/completions", summary="Answer the last message", responses={200: _COMPLETION})
    async def complete(body: ChatBody, request: Request) -> Response:
        served, question = service.catalogue.get(body.model), body.question
        id_, created = f"chatcmpl-{uuid4().hex}", int(time.time())
        if body.stream:
            place = service.place(question)
            with_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
            asked = service.stream(served, question, earlier=body.turns, tokens=False, place=place)
            chunks = _chunks(asked, served.name, id_, created, with_usage)
            return event_stream(chunks, place.leave)
        answered = await while_there(request, service.ask(served, question, earlier=body.turns))
        return JsonReply(completion(id_, created, served.name, answered.record))

    @router.get("/models", summary="List the programs")
    async def models() -> Response:
        return JsonReply({"object": "list", "data": [_model(served) for served in service.catalogue]})

    @router.get("/models/{name}", summary="One of them")
    async def model(name: str) -> Response:
        return JsonReply(_model(service.catalogue.get(name)))

    return router


async def _chunks(
    asked: AsyncGenerator[TrajectoryStep | AnswerToken | Answered, None],
    model: str,
    id_: str,
    created: int,
    with_usage: bool,
) -> AsyncGenerator[str, None]:
    """Steps as `reasoning_content`, then the answer in one piece: before a program has ended, no text is its answer."""

    def written(delta: dict[str, Any] | None, **more: Any) -> str:
        return data(chunk(id_, created, model, delta, **more))

    yield written({"role": "assistant", "content": ""})
    try:
        async with aclosing(asked) as items:
            async for item in items:
                if isinstance(item, Answered):
                    record = item.record
                elif isinstance(item, dict):
                    yield written({"reasoning_content": f"{step_in_words(item)}\n"})
    except Refusal as refusal:
        yield data({"error": openai_error(refusal)})
        return
    yield written({"content": record["answer"], "annotations": annotations(record)})
    yield written({}, finish_reason="stop", multihop=all_but_steps(record))
    if with_usage:
        yield written(None, usage=usage(record))
    yield "data: [DONE]\n\n"


def _model(served: Served) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": served.since, "owned_by": "multihop"}
