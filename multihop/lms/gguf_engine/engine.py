"""A model file as an LM: requests of DSPy as calls of the worker, answers as DSPy's responses."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from weakref import finalize

from ..context import too_long
from ..engine import AsyncEngine, Engine
from ..prompt import system_text
from .answer import Answer, Call, Chosen, Wanted
from .files import PREFIX, check_file, find_file, fingerprint
from .grammar import JSON_OBJECT
from .model import ModelFile
from .worker import Room, Worker

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response, StreamEvent

THOUGHT_ENDS = "</think>"
"""The mark after which a model that thinks gives its answer."""

_open: dict[tuple[str, int, Room], list[Worker]] = {}
"""The files that are open, each with its worker once for every engine that shares it."""
_opening = threading.Lock()


class GGUF(Engine):
    """The synchronous half."""

    is_known_by_name = True  # the name has a fingerprint of the file: its answers may be kept on disk
    supported_params = (
        *("max_tokens", "temperature", "top_p", "top_k", "seed", "stop"),
        *("response_format", "logprobs", "top_logprobs"),
    )

    def __init__(
        self,
        path: str | os.PathLike[str],
        room: Room | None = None,
        *,
        constrained: bool = True,
        switches: Mapping[str, bool | str] = MappingProxyType({}),
    ) -> None:
        """Open the file, or share it if it is open.

        Args:
            path: The file.
            room: The room and the time that the model is given.
            constrained: True if DSPy sends the schema of a step's fields along.
            switches: Values for the chat template that say whether it thinks before it answers.
        """
        super().__init__()
        room = room or Room()
        self._opened = (str(path), room, constrained, dict(switches))
        self.supports_response_schema, self._switches = constrained, dict(switches)
        file = check_file(path).resolve()
        key = (str(file), file.stat().st_mtime_ns, room)
        with _opening:
            _open.setdefault(key, []).append(_open[key][0] if _open.get(key) else Worker(ModelFile(file), room))
            self.worker = _open[key][-1]
        finalize(self, _release, key)
        self.name = f"{PREFIX}{file.stem.lower()}{_mind(switches)}@{fingerprint(file)}"

    def complete(self, request: Request) -> Response:
        """One answer."""
        call = self.call(request)
        self.worker.submit(call)
        try:
            return self.respond_with(request, call.future.result())
        except BaseException:
            call.future.cancel()  # Ctrl-C, say
            raise

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """The same answer as stream events, as soon as each piece is certain."""
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        call = self.call(request)
        call.on_text = pieces.put
        call.future.add_done_callback(lambda future: pieces.put(None))
        self.worker.submit(call)
        try:
            yield _started(request)
            while (piece := pieces.get()) is not None:
                yield _piece(piece)
            yield from _ending(self.respond_with(request, call.future.result()))
        finally:
            call.future.cancel()

    def call(self, request: Request) -> Call:
        """The request as the worker takes it.

        Raises:
            ContextLengthError: The prompt is longer than the context.
        """
        model, config, context = self.worker.model, request.config, self.worker.context
        prompt = model.tokenize(model.render(_messages(request), **self._switches))
        room = context - len(prompt)
        if room < 1:
            raise too_long(len(prompt), model.path.name, context, remedy="open it with a larger context")
        wanted = Wanted(
            max_tokens=min(config.max_tokens or room, room),
            temperature=config.temperature or 0.0,
            top_p=1.0 if config.top_p is None else config.top_p,
            top_k=config.top_k or 0,
            seed=config.seed,
            stop=config.stop,
            schema=_schema(config.response_format),
            logprobs=config.logprobs,
        )
        return Call(model, prompt, wanted)

    def respond_with(self, request: Request, answer: Answer) -> Response:
        """The answer as DSPy's response."""
        from dspy.lm15 import Message, Response, TextPart, Usage

        chosen = None if answer.chosen is None else tuple(self._logprob(each) for each in answer.chosen)
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant([TextPart(answer.text.rpartition(THOUGHT_ENDS)[2])]),
            finish_reason=answer.finish,
            usage=Usage(
                input_tokens=answer.tokens_in, output_tokens=answer.tokens_out, cache_read_tokens=answer.cached
            ),
            logprobs=chosen,
        )

    def dump_state(self) -> dict[str, Any]:
        """The name of the file and how it is opened; never the folder it lies in."""
        path, room, constrained, switches = self._opened
        return {"file": Path(path).name, **asdict(room), "constrained": constrained, "switches": switches}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The engine that `dump_state` described, if its file is where model files are looked for.

        Raises:
            InputError: It is not.
        """
        how = {name: value for name, value in state.items() if name not in ("file", "constrained", "switches")}
        path = find_file(state["file"])
        return cls(path, Room(**how), constrained=state["constrained"], switches=state["switches"])

    def __reduce__(self) -> Any:
        return _reopened, self._opened

    def _logprob(self, chosen: Chosen) -> Any:
        from dspy.lm15 import TokenLogprob, TopLogprob

        def text(token: int) -> str:
            return self.worker.model.piece(token).decode("utf-8", errors="replace")

        top = tuple(TopLogprob(text(each.token), each.logprob) for each in chosen.likeliest)
        return TokenLogprob(text(chosen.token), chosen.logprob, token_id=chosen.token, top=top)


class AsyncGGUF(AsyncEngine):
    """The asynchronous half: the event loop goes on while the worker computes, and a cancelled call ends."""

    engine: GGUF

    async def complete(self, request: Request) -> Response:
        """One answer."""
        call = self.engine.call(request)
        self.engine.worker.submit(call)
        return self.engine.respond_with(request, await asyncio.wrap_future(call.future))

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """The same answer as stream events, as soon as each piece is certain."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        call = self.engine.call(request)
        call.on_text = lambda piece: _put(loop, pieces, piece)
        call.future.add_done_callback(lambda future: _put(loop, pieces, None))
        self.engine.worker.submit(call)
        try:
            yield _started(request)
            while (piece := await pieces.get()) is not None:
                yield _piece(piece)
            for event in _ending(self.engine.respond_with(request, call.future.result())):
                yield event
        finally:
            call.future.cancel()

    def __reduce__(self) -> Any:
        return type(self), (self.engine,)


def _release(key: tuple[str, int, Room]) -> None:
    """One engine less: the last one closes the file."""
    with _opening:
        worker = _open[key].pop()
        if _open[key]:
            return
        del _open[key]
    worker.close()


def _reopened(path: str, room: Room, constrained: bool, switches: Mapping[str, bool | str]) -> GGUF:
    return GGUF(path, room, constrained=constrained, switches=switches)


def _mind(switches: Mapping[str, bool | str]) -> str:
    """The part of the name that says how a model thinks which was told so."""
    words = {True: "thinking", False: "direct"}
    return "".join(f"-{words[value] if isinstance(value, bool) else value}" for value in switches.values())


def _messages(request: Request) -> list[dict[str, str]]:
    system = system_text(request)
    said = [{"role": message.role, "content": message.text or ""} for message in request.messages]
    return [*([{"role": "system", "content": system}] if system else []), *said]


def _schema(response_format: Any) -> str | None:
    if response_format is None:
        return None
    schema = response_format.get("schema")
    return JSON_OBJECT if schema is None else json.dumps(schema)


def _put(loop: asyncio.AbstractEventLoop, pieces: asyncio.Queue[str | None], piece: str | None) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody listens
        loop.call_soon_threadsafe(pieces.put_nowait, piece)


def _started(request: Request) -> StreamEvent:
    from dspy.lm15 import StreamStartEvent

    return StreamStartEvent(model=request.model)


def _piece(text: str) -> StreamEvent:
    from dspy.lm15 import StreamDeltaEvent, TextDelta

    return StreamDeltaEvent(delta=TextDelta(text=text))


def _ending(response: Response) -> Iterator[StreamEvent]:
    """The end of a stream; before it, at once, the probabilities of all tokens, where they were asked for."""
    from dspy.lm15 import StreamDeltaEvent, StreamEndEvent, TextDelta

    if response.logprobs:
        yield StreamDeltaEvent(delta=TextDelta(text="", logprobs=response.logprobs))
    yield StreamEndEvent(finish_reason=response.finish_reason, usage=response.usage)
