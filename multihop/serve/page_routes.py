"""The page at `/`, in the look of all pages: its scripts, its fonts, and what it shows before anything is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, Response
from markupsafe import Markup

from ..view.look import FACES, FONTS, SEARCH_SCRIPTS, open_template, page_script, page_style, source_of
from .catalogue import Served
from .refusal import Refusal
from .replies import JsonReply
from .service import Service

HOME = Path(__file__).parent / "page"
FONTS_AT = "fonts/"
"""The address at which the page finds its fonts, from where it is itself."""
DRAWING = ("elements", "numbers", "highlight", *SEARCH_SCRIPTS)
"""The scripts of all pages that draw a search, passages and steps; the others are about the questions of a run."""
ASKING = ("sources", "turn", "asking")
"""The scripts of the page itself, in the order in which they run."""


class Page(NamedTuple):
    """A page, ready to be sent."""

    html: str
    """Its text."""
    policy: str
    """Its Content-Security-Policy: it may run its own script, use its own styles and fonts, ask its own server."""


def asking_page() -> Page:
    """The page on which questions are asked."""
    script = page_script(*DRAWING, *(str(HOME / name) for name in ASKING))
    style = page_style("page", "figures", "question", "pictures", "print", str(HOME / "page"), fonts_at=FONTS_AT)
    policy = (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    template = open_template("page.html", beside=HOME)
    html = template.render(title="Ask", style=Markup(style), script=Markup(script), policy=policy)
    return Page(html, f"{policy}; frame-ancestors 'none'")


def page_routes(service: Service, *, examples: Sequence[str] = ()) -> APIRouter:
    """The routes.

    Args:
        service: The service that answers.
        examples: Questions that the page offers.
    """
    router = APIRouter()
    asking = asking_page()

    @router.get("/", summary="A page to ask questions and see the search", response_class=HTMLResponse)
    async def page() -> Response:
        return HTMLResponse(
            asking.html, headers={"Content-Security-Policy": asking.policy, "Cache-Control": "no-cache"}
        )

    @router.get("/about", summary="What is served: the programs with a line each, and example questions")
    async def about() -> Response:
        programs = [describe_served(served) for served in service.catalogue]
        return JsonReply({"programs": programs, "examples": list(examples)})

    @router.get("/fonts/{name}", include_in_schema=False)
    async def font(name: str) -> Response:
        stem = name.removesuffix(".woff2")
        if stem not in FACES or stem == name:
            raise Refusal(404, "there is no such font.")
        return FileResponse(FONTS / name, media_type="font/woff2", headers={"Cache-Control": "max-age=86400"})

    return router


def describe_served(served: Served) -> dict[str, Any]:
    """A program as the page lists it, in one plain line."""
    what = " ".join((type(served.program).__doc__ or "").strip().partition("\n\n")[0].split())
    return {"name": served.name, "what": what, "lm": served.lm.model.removeprefix("multihop/").partition("@")[0]}
