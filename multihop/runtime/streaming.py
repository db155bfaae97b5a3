"""The steps of a program as soon as they are finished, for a listener or for a loop over them."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

import anyio
import anyio.from_thread
import dspy
from dspy.streaming import StreamListener, StreamResponse

from ..base.concurrency import running_loop
from .steps import TrajectoryStep

Item = TypeVar("Item")
Listener = Callable[[TrajectoryStep], None]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("multihop_listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Programs that are called in the block tell the listener every step as soon as it is finished.

    A step is told as the trajectory records it, and with its "path": the numbers of the branches it was taken
    in, the outermost first, as `multihop ask` shows them. The listener is called on the event loop that the program
    runs on, so it must not take long.

    Examples:
        >>> import dspy
        >>> from multihop import BM25, OneStep, Passage, scripted
        >>> from multihop.runtime import listening
        >>> program, steps = OneStep(BM25.build([Passage("1", "Torun", "Torun is a city.")])), []
        >>> with dspy.context(lm=scripted([{"answer": "a city"}])), listening(steps.append):
        ...     _ = program(question="What is Torun?")
        >>> [(step["step"], step["path"]) for step in steps]
        [('find', []), ('answer', [])]
    """
    outer = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(outer)


def tell_listener(step: TrajectoryStep, path: tuple[int, ...]) -> None:
    """Tell the listeners of a finished step, the outermost first."""
    for listener in _listeners.get():
        listener(cast(TrajectoryStep, {**step, "path": list(path)}))


async def steps_beside(work: AsyncIterable[Item]) -> AsyncGenerator[TrajectoryStep | Item, None]:
    """Yield the items of the work, and between them every step of the programs that it calls on this event loop."""
    items: asyncio.Queue[TrajectoryStep | Item | None] = asyncio.Queue()

    async def run() -> None:
        try:
            with listening(items.put_nowait):
                async for item in work:
                    items.put_nowait(item)
        finally:
            items.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while (item := await items.get()) is not None:
            yield item
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


_WHOLE_ESCAPES = r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*'
_HELD_BACK = re.compile(r"\s*(\[(\[[ #\w\]]*)?)?$")
"""White space and the beginning of a header, at the end of a text that goes on."""
_HEADER = re.compile(r"\[\[ ## \w+ ## \]\]")


class FieldListener(StreamListener):  # type: ignore[misc]
    """Tells a step's field piece by piece, call after call."""

    def __init__(self, field: str, predictor: dspy.Predict, step: str, *, alone: bool = False) -> None:
        """Tell the field of a predictor under a step's name; `alone` if the LM is asked for it alone, as it is."""
        super().__init__(field, predict=predictor, predict_name=step, allow_reuse=True)
        self._written, self._told, self._alone = "", 0, alone

    def receive(self, chunk: Any) -> StreamResponse | None:
        """The new piece of the field, if the chunk brings one; an empty one at the end of a call."""
        if not chunk.choices:
            return None
        choice = chunk.choices[0]
        self._written += choice.delta.content or ""
        ends = bool(choice.finish_reason)
        value = text_of_field(self._written, self.signature_field_name, ends=ends, alone=self._alone)
        piece, self._told = value[self._told :], max(self._told, len(value))
        self.stream_start |= bool(piece)
        if ends:
            self._written, self._told = "", 0
        return StreamResponse(self.predict_name, self.signature_field_name, piece, ends) if piece or ends else None

    def finalize(self) -> StreamResponse | None:
        """Nothing: the end of each call has told the rest."""
        return None


def text_of_field(written: str, name: str, *, ends: bool = False, alone: bool = False) -> str:
    """The field's value as far as it is certain: of JSON, of DSPy's marked fields, of XML, or all that is written."""
    begins = written.lstrip()
    if begins.startswith(("{", "```")):
        found = re.search(rf'"{name}"\s*:\s*"({_WHOLE_ESCAPES})', written)
        value = json.loads(f'"{found[1]}"', strict=False) if found else ""
        return value[:-1] if "\ud800" <= value[-1:] <= "\udbff" else value  # half a character
    if begins.startswith("<"):
        _, _, value = written.partition(f"<{name}>")
        value, closed, _ = value.partition("</")
        return value.strip() if closed or ends else value.removesuffix("<").strip()
    if alone and not begins.startswith("["):
        return begins.rstrip()
    _, _, value = written.partition(f"[[ ## {name} ## ]]")
    if (header := _HEADER.search(value)) is not None:
        return value[: header.start()].strip()
    return value.strip() if ends else _HELD_BACK.sub("", value).lstrip()


current_call: ContextVar[object] = ContextVar("multihop_call", default=None)
"""The call that is being made: one object a call."""


class StreamRelay:
    """Takes the place of a stream of `dspy.streamify`; may be written to from any event loop and any thread."""

    def __init__(self, stream: Any, home: asyncio.AbstractEventLoop, *, blocked: bool = False) -> None:
        """A relay to a stream that belongs to the loop `home`, which is `blocked` if it waits for the program."""
        self._stream = stream
        self._home = home
        self._blocked = blocked
        self._order = ChunkOrder() if dspy.settings.stream_listeners else None
        self._waiting: deque[Any] = deque()
        self._delivery: asyncio.Task[None] | None = None
        self._closed = False

    async def send(self, value: Any) -> None:
        """Hand the value over, without waiting until it is received; an error says that nobody receives it."""
        if self._closed:
            raise anyio.BrokenResourceError("nobody receives what is streamed any more.")
        try:
            self._home.call_soon_threadsafe(self._take, current_call.get(), value)
        except RuntimeError as error:  # the loop is closed
            raise anyio.BrokenResourceError("the event loop that received what is streamed is closed.") from error
        await asyncio.sleep(0)  # a receiver on this loop goes first

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


def relayed(stream: Any, *, blocks: bool = False) -> StreamRelay | None:
    """A relay to the stream, for a program to write to; None where the stream's loop cannot be reached."""
    if stream is None or isinstance(stream, StreamRelay):
        return stream
    here = running_loop()
    home: asyncio.AbstractEventLoop | None
    try:
        home = anyio.from_thread.run_sync(asyncio.get_running_loop)  # a thread of `dspy.asyncify`: the loop it serves
    except RuntimeError:
        home = here
    return None if home is None else StreamRelay(stream, home, blocked=blocks and home is here)


class ChunkOrder:
    """Hands on the chunks of one call of a step at a time: DSPy's listeners take all chunks for those of one call."""

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
