"""Questions that take long, as tasks: the protocol's extension `io.modelcontextprotocol/tasks` of 2026-07-28.

Where a client says that it takes tasks, a call that is not answered within some seconds is answered by a handle, by
which the client asks again later. The package `mcp` has the door for extensions, and none of this behind it yet.
"""

import asyncio
import time
from typing import Any

from mcp import MCPError
from mcp.server.mcpserver import Extension, MethodBinding, require_client_extension
from mcp.types import INVALID_PARAMS, CallToolRequestParams, RequestParams
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from .deferred_call import KEPT, DeferredCall

TASKS = "io.modelcontextprotocol/tasks"
_MOST = 256
"""Tasks that are kept once they are done; the oldest goes first."""


class TaskParams(RequestParams):
    """The task that is meant."""

    task_id: str


class LongCalls(Extension):
    """Makes tasks of the calls of one tool that take long, for clients that take tasks.

    Tasks are in the memory of this process: whoever asks for one asks here.
    """

    identifier = TASKS

    def __init__(self, tool: str, *, patience: float) -> None:
        """There is no task yet.

        Args:
            tool: The tool whose calls may become tasks.
            patience: Seconds for which a client waits for the answer itself.
        """
        self._tool, self._patience = tool, patience
        self._kept: dict[str, DeferredCall] = {}

    def methods(self) -> list[MethodBinding]:
        """The methods by which clients ask for a task, and give it up."""
        handlers = {"get": self._get, "update": self._update, "cancel": self._cancel}
        modern = frozenset(MODERN_PROTOCOL_VERSIONS)
        return [MethodBinding(f"tasks/{name}", TaskParams, each, modern) for name, each in handlers.items()]

    async def intercept_tool_call(self, params: CallToolRequestParams, ctx: Any, call_next: Any) -> Any:
        """The result if it comes soon, else the handle of a task. Who leaves before cancels the call."""
        if params.name != self._tool or not _takes_tasks(ctx):
            return await call_next(ctx)
        call = DeferredCall(lambda: call_next(ctx))
        try:
            await asyncio.wait([call.work], timeout=self._patience)
        except asyncio.CancelledError:
            call.work.cancel()
            raise
        if call.work.done():
            return call.work.result()
        call.deferred = True
        self._tidy()
        self._kept[call.id] = call
        return {"resultType": "task", **call.described()}

    async def _get(self, ctx: Any, params: TaskParams) -> dict[str, Any]:
        return {"resultType": "complete", **self._find(ctx, params).described()}

    async def _update(self, ctx: Any, params: TaskParams) -> dict[str, Any]:
        self._find(ctx, params)  # a question asks nothing back, so that there is nothing to be told
        return {"resultType": "complete"}

    async def _cancel(self, ctx: Any, params: TaskParams) -> dict[str, Any]:
        self._find(ctx, params).work.cancel()
        return {"resultType": "complete"}

    def _find(self, ctx: Any, params: TaskParams) -> DeferredCall:
        require_client_extension(ctx, TASKS)
        self._tidy()
        if params.task_id not in self._kept:
            raise MCPError(INVALID_PARAMS, f"there is no task '{params.task_id:.80}' here; ask the question again.")
        return self._kept[params.task_id]

    def _tidy(self) -> None:
        """Forget tasks that are too old, and the oldest of those that are done where there are too many."""
        done = [id_ for id_, call in self._kept.items() if call.work.done()]
        old = [id_ for id_, call in self._kept.items() if time.time() - call.created > KEPT]
        for id_ in {*done[: max(0, len(done) - _MOST)], *old}:
            self._kept.pop(id_).work.cancel()


def _takes_tasks(ctx: Any) -> bool:
    """True if the client has said so, in a version of the protocol that has tasks of this kind."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    try:
        require_client_extension(ctx, TASKS)
    except MCPError:
        return False
    return True
