"""`GET /healthz`, `/readyz` and `/metrics`: for those who run the server."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from ..service import Service
from .replies import JsonReply


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

    return router
