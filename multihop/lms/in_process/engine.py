"""A model in this process as an LM: requests of DSPy as calls of a worker, answers as DSPy's responses."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ...base.own_time import current_clock, queueing
from ..context import too_long
from ..engine import AsyncEngine, Engine
from ..prompt import system_text
from .answer import Answer, Call, Chosen, Wanted
from .model import AnswerGrammar
from .worker import CallWorker

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response, StreamEvent

THOUGHT_ENDS = "</think>"
"""The mark after which a model that thinks gives its answer."""


class ModelEngine(Engine):
    """The synchronous half; a subclass opens the model."""

    is_known_by_name = True  # the name has a fingerprint of the weights: its answers may be kept on disk
    worker: CallWorker
    name: str
    """The model's name and fingerprint."""
    longer = "open it with a larger context"
    """The other thing that can be done about a prompt that is too long than to show less."""

    def __init__(self, switches: Mapping[str, bool | str]) -> None:
        """An engine whose worker a subclass gives it.

        Args:
            switches: Values for the chat template that say whether the model thinks before it answers.
        """
        super().__init__()
        self.switches = dict(switches)

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
        prompt = model.tokenize(model.render(_messages(request), **self.switches))
        room = context - len(prompt)
        if room < 1:
            raise too_long(len(prompt), model.path.name, context, remedy=self.longer)
        wanted = Wanted(
            max_tokens=min(config.max_tokens or room, room),
            temperature=config.temperature or 0.0,
            top_p=1.0 if config.top_p is None else config.top_p,
            top_k=config.top_k or 0,
            seed=config.seed,
            stop=config.stop,
            logprobs=config.logprobs,
        )
        return Call(model, prompt, wanted, grammar=self.grammar(config.response_format))

    def grammar(self, response_format: Any) -> AnswerGrammar | None:
        """The grammar of the form in which the answer is asked for, where there is one."""
        return None

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

    def _logprob(self, chosen: Chosen) -> Any:
        from dspy.lm15 import TokenLogprob, TopLogprob

        def text(token: int) -> str:
            return self.worker.model.piece(token).decode("utf-8", errors="replace")

        top = tuple(TopLogprob(text(each.token), each.logprob) for each in chosen.likeliest)
        return TokenLogprob(text(chosen.token), chosen.logprob, token_id=chosen.token, top=top)


class AsyncModelEngine(AsyncEngine):
    """The asynchronous half: the event loop goes on while the worker computes, and a cancelled call ends."""

    engine: ModelEngine

    async def complete(self, request: Request) -> Response:
        """One answer."""
        call = self.engine.call(request)
        self.engine.worker.submit(call)
        with _beside_others(call):
            answer = await asyncio.wrap_future(call.future)
        return self.engine.respond_with(request, answer)

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
            with _beside_others(call):
                while (piece := await pieces.get()) is not None:
                    yield _piece(piece)
            for event in _ending(self.engine.respond_with(request, call.future.result())):
                yield event
        finally:
            call.future.cancel()

    def __reduce__(self) -> Any:
        return type(self), (self.engine,)


@contextmanager
def _beside_others(call: Call) -> Iterator[None]:
    """A block in which the call is computed beside others: of its seconds, those that its own question took count."""
    with queueing():
        yield
    if (clock := current_clock.get()) is not None:
        clock.credit(call.future, call.seconds)


def mind(switches: Mapping[str, bool | str]) -> str:
    """The part of a model's name that says how it thinks, where it was told so.

    Examples:
        >>> from multihop.lms.in_process.engine import mind
        >>> mind({"enable_thinking": False}), mind({"reasoning_effort": "low"}), mind({})
        ('-direct', '-low', '')
    """
    words = {True: "thinking", False: "direct"}
    return "".join(f"-{words[value] if isinstance(value, bool) else value}" for value in switches.values())


def _messages(request: Request) -> list[dict[str, str]]:
    system = system_text(request)
    said = [{"role": message.role, "content": message.text or ""} for message in request.messages]
    return [*([{"role": "system", "content": system}] if system else []), *said]


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
