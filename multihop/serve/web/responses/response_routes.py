"""`POST /v1/responses`: a program as a model, for whatever talks to OpenAI's."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ....programs import Turn
from ....runtime import TrajectoryStep
from ...answer_tokens import AnswerToken
from ...service import Answered, Service
from ..bodies import EXAMPLE, answer_example
from ..replies import JsonReply, event_stream, while_there
from .kept_turns import KeptTurns
from .response_body import ResponseBody
from .response_events import ResponseEvents
from .response_shapes import ResponseShapes

_SHOWN = ResponseShapes("1", 0, "tor", ResponseBody.model_validate({"input": EXAMPLE}))
_RESPONSE = {
    "description": "A response whose text is the answer, or, with `stream`, its events; citations are annotations.",
    "content": {"application/json": {"example": _SHOWN.completed(answer_example())}},  # type: ignore[arg-type]
}


def response_routes(service: Service) -> APIRouter:
    """The routes."""
    router, kept = APIRouter(prefix="/v1"), KeptTurns()

    @router.post("/responses", summary="Answer, and remember what was said", responses={200: _RESPONSE})
    async def respond(body: ResponseBody, request: Request) -> Response:
        served, question = service.catalogue.get(body.model), body.question
        turns = [*kept.get(body.previous_response_id), *body.turns]
        earlier = turns if body.follow_up else []
        shapes = ResponseShapes(uuid4().hex, int(time.time()), served.name, body)

        def keep(answered: Answered) -> None:
            if body.store is not False:
                kept.keep(shapes.id, [*turns, Turn(question, answered.record["answer"])])

        if body.stream:
            place = service.place(question)
            asked = service.stream(served, question, earlier=earlier, tokens=False, place=place)
            return event_stream(ResponseEvents(shapes).of(_noting(asked, keep)), place.leave)
        answered = await while_there(request, service.ask(served, question, earlier=earlier))
        keep(answered)
        return JsonReply(shapes.completed(answered.record))

    return router


async def _noting(
    asked: AsyncGenerator[TrajectoryStep | AnswerToken | Answered, None], note: Callable[[Answered], None]
) -> AsyncGenerator[TrajectoryStep | AnswerToken | Answered, None]:
    """The same items; the end is noted as it passes."""
    async with aclosing(asked) as items:
        async for item in items:
            if isinstance(item, Answered):
                note(item)
            yield item
