"""The page at `/`, what it shows before anything is asked, its fonts, and the page of the routes at `/docs`."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from ....view.look import FACES, FONTS
from ...catalogue import Served
from ...refusal import Refusal
from ...service import Service
from ..replies import JsonReply
from .pages import Page, asking_page
from .route_page import route_page


def page_routes(service: Service, *, examples: Sequence[str] = (), asks_for_key: bool = False) -> APIRouter:
    """The routes.

    Args:
        service: The service that answers.
        examples: Questions that the page offers.
        asks_for_key: True if clients must send a key.
    """
    router = APIRouter()
    asking = asking_page()

    @router.get("/", summary="A page to ask questions and see the search", response_class=HTMLResponse)
    async def page() -> Response:
        return _send(asking)

    @router.get("/about", summary="What is served: the programs with a line each, and example questions")
    async def about() -> Response:
        programs = [describe_served(served) for served in service.catalogue]
        return JsonReply({"programs": programs, "examples": list(examples)})

    @router.get("/docs", summary="A page of these routes, with lines that ask them", response_class=HTMLResponse)
    async def docs(request: Request) -> Response:
        address = str(request.base_url).rstrip("/")
        return _send(route_page(request.app.openapi(), address, asks_for_key=asks_for_key))

    @router.get("/fonts/{name}", include_in_schema=False)
    async def font(name: str) -> Response:
        stem = name.removesuffix(".woff2")
        if stem not in FACES or stem == name:
            raise Refusal(404, "there is no such font.")
        return FileResponse(FONTS / name, media_type="font/woff2", headers={"Cache-Control": "max-age=86400"})

    return router


def describe_served(served: Served) -> dict[str, Any]:
    """A program as the page lists it, in one plain line.

    Examples:
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Served
        >>> from multihop.serve.web.page.page_routes import describe_served
        >>> describe_served(Served(name="mine", program=Direct(), lm=scripted([])))["what"]
        'The answer the LM gives at once, without retrieval.'
    """
    what = " ".join((type(served.program).__doc__ or "").strip().partition("\n\n")[0].split())
    return {"name": served.name, "what": what, "lm": served.lm.model.removeprefix("multihop/").partition("@")[0]}


def _send(page: Page) -> Response:
    return HTMLResponse(page.html, headers={"Content-Security-Policy": page.policy, "Cache-Control": "no-cache"})
