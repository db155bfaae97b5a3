"""`POST /ask`, `POST /ask/stream` and `POST /retrieve`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...runtime.program.answer_record import AnswerRecord
from ...view.pictures.choosing import picture_trajectory
from ...view.pictures.node import Picture
from ..admission import Place
from ..answer_tokens import AnswerToken
from ..catalogue import Served
from ..refusal import Refusal
from ..searching import RETRIEVE_BODY, RETRIEVE_REPLY
from ..service import Answered, Service
from .bodies import AskBody, StreamBody, answer_example
from .replies import JsonReply, event, event_stream, in_pieces, while_there

_ANSWER = {
    "description": "The answer, as `multihop ask --json` prints it; docs/records.md describes every field.",
    "content": {"application/json": {"example": answer_example()}},
}
_EVENTS = {
    "description": (
        "Events `step` (a step of the trajectory, with its path), `token` (a piece of what a step answers, before it "
        "is checked), with `pictures` also `picture` (the finished search as the page draws it), last `result` (as "
        "`/ask` answers) or `error`."
    ),
    "content": {
        "text/event-stream": {
            "example": event("step", answer_example()["trajectory"][0]) + event("token", {"step": "read", "text": "To"})
        }
    },
}


def ask_routes(service: Service) -> APIRouter:
    """The routes."""
    router = APIRouter()

    @router.post("/ask", summary="Answer a question", responses={200: _ANSWER}, response_class=JsonReply)
    async def ask(body: AskBody, request: Request) -> Response:
        served = service.catalogue.get(body.program)
        work = service.ask(served, body.question, earlier=body.turns)
        return JsonReply((await while_there(request, work)).record)

    @router.post("/ask/stream", summary="Answer a question, step by step", responses={200: _EVENTS})
    async def ask_stream(body: StreamBody) -> Response:
        served = service.catalogue.get(body.program)
        place = service.place(body.question)
        return event_stream(_events(service, served, body, place), place.leave)

    @router.post("/retrieve", summary="Search", responses={200: RETRIEVE_REPLY}, openapi_extra=RETRIEVE_BODY)
    async def retrieve(request: Request, program: str | None = None) -> Response:
        served = service.catalogue.get(program)
        found = await while_there(request, service.retrieve(served, await request.body()))
        return in_pieces(found.pieces(), found.release)

    return router


async def _events(service: Service, served: Served, body: StreamBody, place: Place) -> AsyncGenerator[str, None]:
    asked = service.stream(served, body.question, earlier=body.turns, tokens=body.tokens, place=place)
    try:
        async with aclosing(asked) as items:
            async for item in items:
                if isinstance(item, Answered):
                    if body.pictures:
                        yield event("picture", _picture(item.record))
                    yield event("result", item.record)
                elif isinstance(item, AnswerToken):
                    yield event("token", item._asdict())
                else:
                    yield event("step", item)
    except Refusal as refusal:
        yield event("error", {"error": refusal.sentence, "status": refusal.status})


def _picture(record: AnswerRecord) -> Picture:
    """The search for an answer; that of a follow-up begins with the step that wrote the question again."""
    steps, full = record["trajectory"], record.get("full_question")
    return picture_trajectory(steps if full is None else steps[1:], full or record["question"])
