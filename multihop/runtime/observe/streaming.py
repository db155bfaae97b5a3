"""Brings what is streamed from the event loop that a program runs on to the one that receives it.

`dspy.streamify` makes a stream of anyio's that belongs to the caller's event loop, and DSPy writes to it from wherever
an LM or a callback happens to run. Written to from another loop, as when a program runs on the background loop, such a
stream loses the wake-up of whoever waits for it; and a status message that finds it full stops the loop that would
empty it. Either way both sides wait for ever. A relay takes everything at once, and hands it on where it belongs.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import anyio
import anyio.from_thread
import dspy

from ...base.background_loop import running_loop
from .chunk_order import ChunkOrder

current_call: ContextVar[object] = ContextVar("multihop_call", default=None)
"""The call that is being made: one object a call."""


class StreamRelay:
    """Takes the place of a stream of `dspy.streamify`; may be written to from any event loop and any thread."""

    def __init__(self, stream: Any, home: asyncio.AbstractEventLoop, *, blocked: bool = False) -> None:
        """A relay to `stream`.

        Args:
            stream: The stream that `dspy.streamify` receives from.
            home: The event loop that it belongs to.
            blocked: True if that loop waits until the program has answered.
        """
        self._stream = stream
        self._home = home
        self._blocked = blocked
        self._order = ChunkOrder() if dspy.settings.stream_listeners else None
        self._waiting: deque[Any] = deque()
        self._delivery: asyncio.Task[None] | None = None
        self._closed = False

    async def send(self, value: Any) -> None:
        """Hand the value over, without waiting until it is received.

        Raises:
            anyio.BrokenResourceError: Nobody receives any more; the program need not go on.
        """
        if self._closed:
            raise anyio.BrokenResourceError("nobody receives what is streamed any more.")
        try:
            self._home.call_soon_threadsafe(self._take, current_call.get(), value)
        except RuntimeError as error:  # the loop is closed
            raise anyio.BrokenResourceError("the event loop that received what is streamed is closed.") from error
        await asyncio.sleep(0)  # whoever receives on this loop goes first

    async def flush(self) -> None:
        """Wait until all that was sent is received."""
        if self._blocked or self._closed or self._home.is_closed():
            return
        if asyncio.get_running_loop() is self._home:
            await self._wait_until_received()
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._wait_until_received(), self._home))

    def _take(self, call: object, value: Any) -> None:
        self._put([value] if self._order is None else self._order.take(call, value))

    def _put(self, values: Iterable[Any]) -> None:
        self._waiting.extend(values)
        if self._waiting and (self._delivery is None or self._delivery.done()):
            self._delivery = self._home.create_task(self._deliver())

    async def _deliver(self) -> None:
        try:
            while self._waiting:
                await self._stream.send(self._waiting.popleft())
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._closed = True
            self._waiting.clear()

    async def _wait_until_received(self) -> None:
        await asyncio.sleep(0)  # what was sent before is taken before
        if self._order is not None:
            self._put(self._order.rest())
        if self._delivery is not None:
            await asyncio.wait([self._delivery])


def relayed(stream: Any, *, blocks: bool = False) -> Any:
    """The stream for a program in place of the one that is set: a relay, or None where nobody can be reached.

    Args:
        stream: The stream that DSPy is set to.
        blocks: True if the caller's thread waits until the program has answered.
    """
    if stream is None or isinstance(stream, StreamRelay):
        return stream
    here = running_loop()
    home: asyncio.AbstractEventLoop | None
    try:
        home = anyio.from_thread.run_sync(asyncio.get_running_loop)  # a thread of `dspy.asyncify`: the loop it serves
    except RuntimeError:
        home = here
    return None if home is None else StreamRelay(stream, home, blocked=blocks and home is here)


async def flush() -> None:
    """Wait until all that the program has streamed is received."""
    if isinstance(dspy.settings.send_stream, StreamRelay):
        await dspy.settings.send_stream.flush()
