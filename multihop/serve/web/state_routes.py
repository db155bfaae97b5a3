"""`GET /healthz`, `/readyz`, `/metrics`, and the page at `/`."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from ..service import Service
from .page import PAGE, POLICY
from .replies import JsonReply


def state_routes(service: Service) -> APIRouter:
    """The routes."""
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
