"""A call of a tool that goes on when the request that began it has been answered: a task of the protocol."""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from typing import Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult

KEPT = 3600.0
"""Seconds for which a task is kept, from its beginning."""
_POLL = 1.0
"""Seconds after which asking again is worth while."""
_CURRENT: ContextVar["DeferredCall | None"] = ContextVar("multihop_deferred_call", default=None)


class DeferredCall:
    """One call of a tool, which goes on when the request that began it has been answered."""

    def __init__(self, call: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """The call begins.

        Args:
            call: Makes it.
        """
        self.id = secrets.token_urlsafe(24)  # nobody guesses it: whoever has it has the task
        self.created, self.deferred = time.time(), False
        self._changed, self._step = self.created, ""
        context = copy_context()
        context.run(_CURRENT.set, self)
        self.work = asyncio.create_task(call(), context=context)
        self.work.add_done_callback(self._note_end)

    def note(self, step: str) -> None:
        """A step of it was taken."""
        self._step, self._changed = step, time.time()

    def described(self) -> dict[str, Any]:
        """The task, as the protocol shows it."""
        return {
            "taskId": self.id,
            "createdAt": _written(self.created),
            "lastUpdatedAt": _written(self._changed),
            "ttlMs": round(KEPT * 1000),
            "pollIntervalMs": round(_POLL * 1000),
            **({"statusMessage": self._step} if self._step else {}),
            **self._state(),
        }

    def _state(self) -> dict[str, Any]:
        if not self.work.done():
            return {"status": "working"}
        if self.work.cancelled():
            return {"status": "cancelled"}
        error = self.work.exception()
        if error is None:
            result: CallToolResult = self.work.result()
            return {"status": "completed", "result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}
        code = error.code if isinstance(error, MCPError) else INTERNAL_ERROR
        message = str(error) if isinstance(error, MCPError) else "the call failed; the server's log says where."
        return {"status": "failed", "statusMessage": message, "error": {"code": code, "message": message}}

    def _note_end(self, work: "asyncio.Task[Any]") -> None:
        self._changed = time.time()
        if not work.cancelled():
            work.exception()  # it is told to whoever asks; nobody needs to


def current_call() -> DeferredCall | None:
    """The call that is being made here, if it may become a task."""
    return _CURRENT.get()


def _written(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
