"""Brings what is streamed from the event loop that a program runs on to the one that receives it.

`dspy.streamify` makes a stream of anyio's that belongs to the caller's event loop, and DSPy writes to it from wherever
an LM or a callback happens to run. Written to from another loop, as when a program runs on the background loop, such a
stream loses the wake-up of whoever waits for it; and a status message that finds it full stops the loop that would
empty it. Either way both sides wait for ever. A relay takes everything at once, and hands it on where it belongs.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import anyio
import anyio.from_thread
import dspy

from ..base.concurrency import running_loop

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


class ChunkOrder:
    """Hands on the chunks of one call of a step at a time; those of other calls come once it has ended.

    A `dspy.streaming.StreamListener` follows one step and takes its chunks for those of one call. Where a step is asked
    several times at once, it would follow words of all answers mixed together, and see none of them.
    """

    def __init__(self) -> None:
        self._current: dict[int, object] = {}
        self._waiting: dict[int, dict[object, list[Any]]] = {}

    def take(self, call: object, value: Any) -> Iterator[Any]:
        """Yield the chunks that may be handed on, now that the call has sent this one."""
        step, ends = getattr(value, "predict_id", None), _ends(value)
        if step is None or ends is None:
            yield value  # a status message, or an account at the end
            return
        if self._current.setdefault(step, call) is not call:
            self._waiting.setdefault(step, {}).setdefault(call, []).append(value)
            return
        yield value
        if ends:
            del self._current[step]
            yield from self._next(step)

    def rest(self) -> Iterator[Any]:
        """Yield the chunks that wait behind a call that never ended."""
        for step in list(self._waiting):
            for chunks in self._waiting.pop(step).values():
                yield from chunks
        self._current.clear()

    def _next(self, step: int) -> Iterator[Any]:
        """The chunks of the calls that wait, up to one that has not ended and comes next."""
        waiting = self._waiting.get(step, {})
        while waiting and step not in self._current:
            call = next(iter(waiting))
            chunks = waiting.pop(call)
            yield from chunks
            if not _ends(chunks[-1]):
                self._current[step] = call


def _ends(value: Any) -> bool | None:
    """True if the chunk is a call's last; None if it is no chunk of an answer."""
    choices = getattr(value, "choices", None)
    return any(getattr(choice, "finish_reason", None) for choice in choices) if choices else None
