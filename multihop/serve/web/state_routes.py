"""`GET /healthz`, `/readyz`, `/metrics`, and the page at `/`, on which a browser runs nothing but what it brings."""

import base64
import hashlib
import re
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from ..service import Service
from .replies import JsonReply

PAGE = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
"""One file without anything from elsewhere."""


def _hash_of(tag: str) -> str:
    """The source that allows the page's one script, or style, and no other."""
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", PAGE, flags=re.S)
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; script-src {_hash_of('script')}; style-src {_hash_of('style')}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy."""


def state_routes(service: Service) -> APIRouter:
    """The routes about the server itself."""
    router = APIRouter()

    @router.get("/healthz", summary="Whether the process lives")
    async def healthz() -> Response:
        return JsonReply({"status": "ok"})

    @router.get("/readyz", summary="Whether questions are taken")
    async def readyz() -> Response:
        if service.draining:
            return JsonReply({"status": "draining"}, 503, {"Retry-After": "1"})
        return JsonReply({"status": "ready"})

    @router.get("/metrics", summary="Counts and times, for Prometheus")
    async def metrics() -> Response:
        return PlainTextResponse(service.text_of_metrics(), media_type="text/plain; version=0.0.4")

    @router.get("/", summary="A page to ask questions and watch the steps", response_class=HTMLResponse)
    async def page() -> Response:
        return HTMLResponse(PAGE, headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"})

    return router
