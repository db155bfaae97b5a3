"""`POST /v1/chat/completions` and `GET /v1/models`: a program as a model, for whatever talks to OpenAI's."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from ..base.texts import in_short
from ..programs import Turn
from ..retrieval.documents import source_of
from ..runtime import StopStep, TrajectoryStep
from ..runtime.answer_record import AnswerRecord
from .catalogue import Served
from .operation import Refusal
from .replies import JsonReply, data, event_stream, openai_error, while_there
from .service import DOCUMENTS, Service, address_of

_COMPLETION = (
    "A completion whose text is the answer, or, with `stream`, its chunks: steps as `reasoning_content`, the answer "
    "last. Citations are annotations."
)
_LONGEST = 200
"""Characters of a text in a step that are told."""
_BESIDE = {"program", "full_question", "passages", "evidence", "cost", "over_budget", "citations"}
"""The fields of a record that a completion has in its own field `multihop`."""


class ContentPart(BaseModel):
    """A piece of a message."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """One message of a conversation."""

    role: str
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """The message's text, without what else it holds."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text or "" for part in self.content if part.type == "text")


class StreamOptions(BaseModel):
    """The extras that are wanted beside the answer while it is streamed."""

    include_usage: bool | None = None


class ChatBody(BaseModel):
    """A chat, whose last message of the user is the question; what is not named here is ignored."""

    messages: list[Message] = Field(
        min_length=1, description="The last message of the user is the question; those before it are the conversation."
    )
    model: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    stream: bool | None = Field(
        None, description="Whether chunks are wanted: steps as `reasoning_content`, the answer last."
    )
    stream_options: StreamOptions | None = Field(None, description="`include_usage` sends the tokens as a last chunk.")

    @property
    def turns(self) -> list[Turn]:
        """The questions of the user, with their answers; the last has none yet."""
        turns: list[Turn] = []
        for message in self.messages:
            if message.role == "user":
                turns.append(Turn(message.text))
            elif message.role == "assistant" and turns:
                turns[-1] = turns[-1]._replace(answer=f"{turns[-1].answer} {message.text}".strip())
        if not turns:
            raise Refusal(400, "no message has the role 'user'; its text is the question.")
        return turns


def chat_routes(service: Service) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/v1")

    @router.post("/chat/completions", summary="Answer the last message", response_description=_COMPLETION)
    async def complete(body: ChatBody, request: Request) -> Response:
        served = service.catalogue.get(body.model)
        *earlier, (question, _) = body.turns
        base = f"{request.base_url}{DOCUMENTS}" if service.documents else ""
        if body.stream:
            service.check(question)
            return event_stream(_chunks(service, served, body, base))
        record = await while_there(request, service.ask(served, question, earlier=earlier))
        told = {"content": record["answer"], "refusal": None, "annotations": _annotations(record, base)}
        choice = {"index": 0, "message": {"role": "assistant", **told}, "finish_reason": "stop"}
        about = _about("chat.completion", served)
        return JsonReply({**about, "choices": [choice], "usage": _usage(record), "multihop": _beside(record)})

    @router.get("/models", summary="List the programs")
    async def models() -> Response:
        return JsonReply({"object": "list", "data": [_model(served) for served in service.catalogue]})

    @router.get("/models/{name}", summary="One of them")
    async def model(name: str) -> Response:
        return JsonReply(_model(service.catalogue.get(name)))

    return router


async def _chunks(service: Service, served: Served, body: ChatBody, base: str) -> AsyncGenerator[str, None]:
    """Steps as `reasoning_content`, then the answer in one piece: before a program has ended, no text is its answer."""
    about = _about("chat.completion.chunk", served)

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        return data({**about, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})

    *earlier, (question, _) = body.turns
    yield chunk({"role": "assistant", "content": ""})
    try:
        async with aclosing(service.stream(served, question, earlier=earlier, tokens=False)) as events:
            async for name, content in events:
                if name == "step":
                    yield chunk({"reasoning_content": f"{step_in_words(content)}\n"})
                    continue
                yield chunk({"content": content["answer"], "annotations": _annotations(content, base)})
                yield chunk({}, "stop", multihop=_beside(content))
                if body.stream_options is not None and body.stream_options.include_usage:
                    yield data({**about, "choices": [], "usage": _usage(content)})
    except Refusal as refusal:
        yield data({"error": openai_error(refusal)})
        return
    yield "data: [DONE]\n\n"


def _about(kind: str, served: Served) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid4().hex}", "object": kind, "created": int(time.time()), "model": served.name}


def _model(served: Served) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": served.since, "owned_by": "multihop"}


def _annotations(record: AnswerRecord, base: str) -> list[dict[str, Any]]:
    """The sentences that bear the answer, as OpenAI's citations of the whole of it, each with `sentence` and file."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": 0,
                "end_index": len(record["answer"]),
                "title": each["title"] or each["passage"],
                "url": address_of(each["passage"], base),
                "sentence": each["sentence"],
                **source_of(each["passage"]),
            },
        }
        for each in record["citations"]
    ]


def _usage(record: AnswerRecord) -> dict[str, int]:
    """The tokens of all LM calls that the answer took."""
    spent = record["cost"]["tokens"].values()
    into, out = sum(each["in"] for each in spent), sum(each["out"] for each in spent)
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}


def _beside(record: AnswerRecord) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name in _BESIDE}


def step_in_words(step: TrajectoryStep) -> str:
    """A step in one line, for clients that show what a model thinks."""
    if "query" in step:
        titles = " · ".join(hit["title"] or hit["id"] for hit in step.get("hits", ())) or "nothing"
        return f"{step['step']}: {in_short(step['query'], _LONGEST)} → {in_short(titles, _LONGEST)}"
    if step["step"] == "stop":
        return f"ended early: {in_short(cast(StopStep, step)['outputs']['why'], _LONGEST)}"
    outputs: dict[str, Any] = cast(dict[str, Any], step).get("outputs") or {}
    said = [f"{name} {in_short(value, _LONGEST)}" for name, value in outputs.items() if value not in ("", None, [], {})]
    return f"{step['step']}: {'; '.join(said)}" if said else step["step"]
