"""`POST /ask`, `POST /ask/stream` and `POST /retrieve`, and the page at `/` that asks, with its scripts and fonts."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from ..programs import Turn
from ..retrieval.documents import find_documents
from ..runtime.answer_record import AnswerRecord
from ..view.drawn_search import Picture, picture_search
from ..view.look import FACES, FONTS, SEARCH_SCRIPTS, open_template, page_script, page_style, source_of
from .catalogue import Served
from .operation import Refusal
from .replies import JsonReply, event, event_stream, while_there
from .service import DOCUMENTS, RetrieveRequest, Service

_ANSWER = "The answer, as `multihop ask --json` prints it; docs/records.md describes every field."
_EVENTS = (
    "Events `step` (a step of the trajectory, with its path), `token` (a piece of what a step answers, before it is "
    "checked), with `pictures` also `picture` (the finished search as the page draws it), last `result` (as `/ask` "
    "answers) or `error`."
)


class EarlierTurn(BaseModel):
    """A question that was asked before, and its answer."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="The question.")
    answer: str = Field("", description="Its answer.")


class AskBody(BaseModel):
    """One question."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="The question.", examples=["Where was the director of Night Train born?"])
    program: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    earlier: list[EarlierTurn] = Field(
        [],
        description="The turns before it, the latest last: the question may point back to them, and is then first "
        "written again so that it makes sense by itself, as the step `stand_alone`. The last three are read.",
    )

    @property
    def turns(self) -> list[Turn]:
        """The turns before the question."""
        return [Turn(turn.question, turn.answer) for turn in self.earlier]


class StreamBody(AskBody):
    """One question, whose steps are wanted too."""

    tokens: bool = Field(True, description="Whether the tokens of answers are wanted as well.")
    pictures: bool = Field(False, description="Whether the finished search is wanted as a picture.")


def ask_routes(service: Service) -> APIRouter:
    """The routes."""
    router = APIRouter()

    @router.post("/ask", summary="Answer a question", response_description=_ANSWER)
    async def ask(body: AskBody, request: Request) -> Response:
        work = service.ask(service.catalogue.get(body.program), body.question, earlier=body.turns)
        return JsonReply(await while_there(request, work))

    @router.post("/ask/stream", summary="Answer a question, step by step", response_description=_EVENTS)
    async def ask_stream(body: StreamBody) -> Response:
        served = service.catalogue.get(body.program)
        service.check(body.question)
        return event_stream(_events(service, served, body))

    @router.post("/retrieve", summary="Search, as Search-R1 and FlashRAG ask")
    async def retrieve(body: RetrieveRequest, request: Request, program: str | None = None) -> Response:
        hits = await while_there(request, service.retrieve(service.catalogue.get(program), body))
        return await asyncio.to_thread(lambda: JsonReply(body.answer(hits)))

    return router


async def _events(service: Service, served: Served, body: StreamBody) -> AsyncGenerator[str, None]:
    asked = service.stream(served, body.question, earlier=body.turns, tokens=body.tokens)
    try:
        async with aclosing(asked) as events:
            async for name, content in events:
                if name == "result" and body.pictures:
                    yield event("picture", _picture(content))
                yield event(name, content)
    except Refusal as refusal:
        yield event("error", {"error": refusal.sentence, "status": refusal.status})


def _picture(record: AnswerRecord) -> Picture:
    """The search for an answer; that of a follow-up begins with the step that wrote the question again."""
    steps, full = record["trajectory"], record.get("full_question")
    return picture_search(steps if full is None else steps[1:], full or record["question"])


HOME = Path(__file__).parent / "page"
FONTS_AT = "fonts/"
"""The address at which the page finds its fonts, from where it is itself."""
_SHOWN = {".pdf", ".htm", ".html", ".docx"}
"""Documents that a browser shows, or keeps as a file, by their kind; others are plain text."""
_HARMLESS = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The policy for documents in HTML, which strangers may have written."""
DRAWING = ("elements", "numbers", "highlight", *SEARCH_SCRIPTS)
"""The scripts of all pages that draw a search, passages and steps; the others are about the questions of a run."""
ASKING = ("sources", "turn", "asking")
"""The scripts of the page itself, in the order in which they run."""


def asking_page() -> tuple[str, str]:
    """The page on which questions are asked, and the policy for it: its own script, styles, fonts and server alone."""
    script = page_script(*DRAWING, *(str(HOME / name) for name in ASKING))
    style = page_style("page", "figures", "question", "pictures", "print", str(HOME / "page"), fonts_at=FONTS_AT)
    policy = (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    template = open_template("page.html", beside=HOME)
    html = template.render(title="Ask", style=Markup(style), script=Markup(script), policy=policy)
    return html, f"{policy}; frame-ancestors 'none'"


def page_routes(service: Service, *, examples: Sequence[str] = ()) -> APIRouter:
    """The routes."""
    router = APIRouter()
    html, policy = asking_page()

    @router.get("/", summary="A page to ask questions and see the search", response_class=HTMLResponse)
    async def page() -> Response:
        return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Cache-Control": "no-cache"})

    @router.get("/about", summary="What is served: the programs with a line each, and example questions")
    async def about() -> Response:
        programs = []
        for served in service.catalogue:
            what = " ".join((type(served.program).__doc__ or "").strip().partition("\n\n")[0].split())
            lm = served.lm.model.removeprefix("multihop/").partition("@")[0]
            programs.append({"name": served.name, "what": what, "lm": lm})
        linked = {"documents": True} if service.documents else {}
        return JsonReply({"programs": programs, "examples": list(examples), **linked})

    @router.get(f"/{DOCUMENTS}{{name:path}}", summary="A document that a passage comes from")
    async def document(name: str) -> Response:
        found = await asyncio.to_thread(find_documents, service.documents) if service.documents else ({}, [])
        if (path := found[0].get(name)) is None:
            raise Refusal(404, "there is no such document.")
        kind = path.suffix.lower()
        headers = {"X-Content-Type-Options": "nosniff"}
        if kind != ".pdf":  # browsers show none in a sandbox
            headers["Content-Security-Policy"] = _HARMLESS
        return FileResponse(path, media_type=None if kind in _SHOWN else "text/plain", headers=headers)

    @router.get("/fonts/{name}", include_in_schema=False)
    async def font(name: str) -> Response:
        stem = name.removesuffix(".woff2")
        if stem not in FACES or stem == name:
            raise Refusal(404, "there is no such font.")
        return FileResponse(FONTS / name, media_type="font/woff2", headers={"Cache-Control": "max-age=86400"})

    return router
