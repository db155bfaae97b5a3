"""`POST /v1/chat/completions` and `GET /v1/models`: a program as a model, for whatever talks to OpenAI's."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Literal, cast
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from ..programs import Turn
from ..runtime import StopStep, TrajectoryStep
from ..runtime.program.answer_record import AnswerRecord
from .answer_tokens import AnswerToken
from .catalogue import Served
from .refusal import Refusal
from .replies import JsonReply, data, event_stream, openai_error, while_there
from .searching import address_of
from .service import Answered, Service

_COMPLETION = (
    "A completion whose text is the answer, or, with `stream`, its chunks: steps as `reasoning_content`, the answer "
    "last. Citations are annotations."
)


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
        """The message's text.

        Raises:
            Refusal: It holds more than text.
        """
        for part in self.content if isinstance(self.content, list) else ():
            if part.type != "text" or part.text is None:
                raise Refusal(400, f"a message has a part of type '{part.type:.40}'; only text can be read.")
        return self.words

    @property
    def words(self) -> str:
        """The text, without what else the message holds."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text or "" for part in self.content if part.type == "text")


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns before the question.

    Examples:
        >>> from multihop.serve.chat_routes import Message, turns_of
        >>> said = [("user", "Who made it?"), ("assistant", "Ada."), ("user", "Where was she born?")]
        >>> turns_of([Message(role=role, content=text) for role, text in said])
        [Turn(question='Who made it?', answer='Ada.')]
    """
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(message.words))
        elif message.role == "assistant" and turns:
            turns[-1] = turns[-1]._replace(answer=f"{turns[-1].answer} {message.words}".strip())
    return turns[:-1]


def question_of(messages: Sequence[Message]) -> str:
    """The last thing that the user said.

    Raises:
        Refusal: The user said nothing, or more than text.

    Examples:
        >>> from multihop.serve.chat_routes import Message, question_of
        >>> question_of([Message(role="system", content="Hi."), Message(role="user", content="Who?")])
        'Who?'
    """
    for message in reversed(messages):
        if message.role == "user":
            return message.text
    raise Refusal(400, "no message has the role 'user'; its text is the question.")


class ResponseFormat(BaseModel):
    """In which form the answer is wanted."""

    type: str = "text"


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
    n: Literal[1] | None = Field(None, description="Answers wanted; there is one.")
    response_format: ResponseFormat | None = Field(None, description="The form of the answer, which is text.")

    @property
    def turns(self) -> list[Turn]:
        """The turns before the question."""
        return turns_of(self.messages)

    @property
    def question(self) -> str:
        """The last thing that the user said.

        Raises:
            Refusal: The user said nothing, or wants what a program cannot give.
        """
        if self.response_format is not None and self.response_format.type != "text":
            raise Refusal(400, f"response_format '{self.response_format.type:.40}' cannot be had; answers are text.")
        return question_of(self.messages)


def chat_routes(service: Service) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/v1")

    @router.post("/chat/completions", summary="Answer the last message", response_description=_COMPLETION)
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


def completion(id_: str, created: int, model: str, record: AnswerRecord) -> dict[str, Any]:
    """The answer as a whole; its citations are annotations, and the field `multihop` has what OpenAI's has not."""
    message = {"role": "assistant", "content": record["answer"], "refusal": None, "annotations": annotations(record)}
    return {
        "id": id_,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage(record),
        "multihop": all_but_steps(record),
    }


def chunk(id_: str, created: int, model: str, delta: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """One chunk; without a delta it has no choice, as the one that tells the usage."""
    finish = more.pop("finish_reason", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {
        "id": id_,
        "object": "chat.completion.chunk",
        "created": created,
        "model": model,
        "choices": [] if delta is None else [choice],
        **more,
    }


def annotations(record: AnswerRecord) -> list[dict[str, Any]]:
    """The sentences that bear the answer, as OpenAI's citations of the whole of it, each with its `sentence`."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": 0,
                "end_index": len(record["answer"]),
                "title": each["title"] or each["passage"],
                "url": address_of(each["passage"]),
                "sentence": each["sentence"],
            },
        }
        for each in record["citations"]
    ]


def usage(record: AnswerRecord) -> dict[str, int]:
    """The tokens of all LM calls that the answer took."""
    spent = record["cost"]["tokens"].values()
    into, out = sum(each["in"] for each in spent), sum(each["out"] for each in spent)
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}


def all_but_steps(record: AnswerRecord) -> dict[str, Any]:
    """The fields of a record besides its answer, the steps left out."""
    names = {"program", "full_question", "passages", "evidence", "cost", "over_budget", "citations"}
    return {name: value for name, value in record.items() if name in names}


def step_in_words(step: TrajectoryStep) -> str:
    """A step in one line, for clients that show what a model thinks.

    Examples:
        >>> from multihop.serve.chat_routes import step_in_words
        >>> step_in_words({"step": "find", "query": "Night Train", "k": 5, "hits": [{"title": "Jerzy Kowal"}]})
        'find: Night Train → Jerzy Kowal'
        >>> step_in_words({"step": "judge", "inputs": {}, "outputs": {"enough": False, "query": "Who?"}})
        'judge: enough False; query Who?'
        >>> step_in_words({"step": "stop", "outputs": {"rule": "nothing-new", "why": "All that was found was known."}})
        'ended early: All that was found was known.'
    """
    if "query" in step:
        titles = [hit["title"] or hit["id"] for hit in step.get("hits", ())]
        return f"{step['step']}: {_short(step['query'])} → {_short(' · '.join(titles) or 'nothing')}"
    if step["step"] == "stop":
        return f"ended early: {_short(cast(StopStep, step)['outputs']['why'])}"
    outputs: dict[str, Any] = cast(dict[str, Any], step).get("outputs") or {}
    said = [f"{name} {_short(value)}" for name, value in outputs.items() if value not in ("", None, [], {})]
    return f"{step['step']}: {'; '.join(said)}" if said else step["step"]


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"
