"""`POST /ask`, `POST /ask/stream` and `POST /retrieve`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from fastapi.responses import Response

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
        "is checked), and last `result` (as `/ask` answers) or `error`."
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
        return JsonReply((await while_there(request, service.ask(served, body.question))).record)

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
    try:
        async with aclosing(service.stream(served, body.question, tokens=body.tokens, place=place)) as items:
            async for item in items:
                if isinstance(item, Answered):
                    yield event("result", item.record)
                elif isinstance(item, AnswerToken):
                    yield event("token", item._asdict())
                else:
                    yield event("step", item)
    except Refusal as refusal:
        yield event("error", {"error": refusal.sentence, "status": refusal.status})
