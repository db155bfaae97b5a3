"""Requests to your own server, and its replies: texts that open no turn, schemas and replies that end."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from ..base.errors import first_line, public_address
from ..base.imports import httpx, lm15
from .prompt import system_text

_OLLAMA_PORT = 11434
_PATIENCE = 2.0
_SURELY_FITS = 1000
"""A prompt of so few words and marks is sent without asking Ollama for the context."""
_PIECE = re.compile(r"\w+|[^\w\s]+")
# A server reads every special token in the chat template that it fills, also one that came with a passage.
_TURN = re.compile(
    r"<(?=\|(?!(?:begin|end)_search_)[a-z_]\w{0,30}\|>)"  # ChatML, Llama 3, Phi, Granite, GLM, gpt-oss; not Search-o1's
    r"|<(?=\uff5c[^<>\uff5c]{1,40}\uff5c>)"  # DeepSeek
    r"|<(?=(?:start|end)_of_turn>)"  # Gemma
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CALLS)\])",  # Mistral, Llama 2
    re.IGNORECASE,
)
GO_ON = {"continue_final_message": True, "add_generation_prompt": False}
"""The parameters with which a server continues the last turn instead of opening another."""
_SURE, _LIKELY = 1, 2
"""Characters of a token: the fewest there are, of signs and line breaks repeated without end, and the fewest of words
(English prose has four or five, unknown names fewer than three)."""
_AROUND = 6
"""Tokens around a text: its name, its marks and its comma."""
_SHORTEST, _LONGEST = 60, 1500
"""The room that every text has, however many there are, and the most; llama.cpp counts to no more than 2,000."""
_ITEMS = 10
"""The items that a list without a bound is reckoned to have."""
_contexts: dict[str, int] = {}
"""The contexts that Ollama told in this process, by model."""
MOST_BYTES = 64 * 2**20
"""The longest reply, unpacked."""
MOST_SECONDS = 600.0
"""The longest that a reply may take from its head to its end, where no call is there to be ended (`CALL_SECONDS`)."""
LONGEST_PAUSE = 120.0
"""The longest pause, in seconds, that a server may ask for before it is asked again."""


class ServedLM(lm15.OpenAIChatLM):
    """Asks your own server."""

    __slots__ = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.transport = _Bounded(self.transport)  # type: ignore[misc, has-type]

    def complete(self, request: lm15.Request) -> lm15.Response:
        """One answer."""
        check_context(request, self.base_url)
        with _no_long_pause():
            return super().complete(as_sent(request))

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """One answer, piece by piece."""
        check_context(request, self.base_url)
        with _no_long_pause():
            yield from super().stream(as_sent(request))


class AsyncServedLM(lm15.AsyncOpenAIChatLM):
    """Asks your own server asynchronously."""

    __slots__ = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.transport = _AsyncBounded(self.transport)  # type: ignore[misc, has-type]

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """One answer."""
        if is_ollama(self.base_url):
            await asyncio.to_thread(check_context, request, self.base_url)
        with _no_long_pause():
            return await super().complete(as_sent(request))

    async def stream(self, request: lm15.Request) -> AsyncIterator[lm15.StreamEvent]:
        """One answer, piece by piece."""
        if is_ollama(self.base_url):
            await asyncio.to_thread(check_context, request, self.base_url)
        async with aclosing(super().stream(as_sent(request))) as events:  # who leaves early closes the connection
            with _no_long_pause():
                async for event in events:
                    yield event


class _Bounded:
    """A transport whose replies end."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport

    @contextmanager
    def stream(self, request: Any) -> Iterator[Any]:
        with self.transport.stream(request) as reply:
            body = _Body(request.url, reply.headers, MOST_SECONDS)
            pieces = chain.from_iterable(map(body.pieces, chain(reply, [b""])))
            yield _with_chunks(reply, pieces, reply.close)


class _AsyncBounded(_Bounded):
    """An asynchronous transport whose replies end."""

    @asynccontextmanager
    async def stream(self, request: Any) -> AsyncIterator[Any]:  # type: ignore[override]
        async with self.transport.stream(request) as reply:
            yield _with_chunks(reply, _Body(request.url, reply.headers).pieces_of(reply), reply.aclose)


def _with_chunks(reply: Any, chunks: Any, close: Any) -> Any:
    """The reply of a transport, with these chunks instead of its own."""
    head = {name: getattr(reply, name) for name in ("status", "reason", "headers", "http_version")}
    return type(reply)(**head, chunks=chunks, release=lambda body_consumed: close())


class _Body:
    """The body of a reply as far as it may go, with counts of tokens only where they can be read."""

    def __init__(self, url: str, headers: Any, seconds: float = math.inf) -> None:
        self.server, self.ends = public_address(url.removesuffix("/chat/completions")), time.monotonic() + seconds
        self.size, self.left = 0, list[bytes]()
        self.in_lines = any(name.lower() == "content-type" and "event-stream" in value for name, value in headers)
        if "," in ",".join(value for name, value in headers if name.lower() == "content-encoding"):
            raise lm15.ProviderError(f"{self.server} packs its reply twice, so that its length cannot be known.")

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """The parts that can be read with one more chunk, empty at the end: lines of a stream, else all at the end."""
        self.size += len(chunk)
        if self.size > MOST_BYTES or time.monotonic() > self.ends:
            most = f"more than {MOST_BYTES:,} bytes" if self.size > MOST_BYTES else f"for more than {MOST_SECONDS:g} s"
            raise lm15.ProviderError(f"{self.server} sends {most}: that is no answer.")
        self.left.append(chunk)
        if not chunk or (self.in_lines and b"\n" in chunk):
            read = b"".join(self.left)
            lines = read.splitlines(keepends=True) if self.in_lines else [read]
            self.left = [lines.pop()] if chunk and not read.endswith(b"\n") else []
            yield from map(_with_readable_counts, lines)

    async def pieces_of(self, reply: Any) -> AsyncIterator[bytes]:
        """All that can be read."""
        async for chunk in reply:
            for piece in self.pieces(chunk):
                yield piece
        for piece in self.pieces(b""):
            yield piece


def _with_readable_counts(reply: bytes) -> bytes:
    """The reply without its counts of tokens where lm15 would refuse the whole of it, which is paid, for them."""
    if b'"usage"' not in reply:
        return reply
    mark, brace, rest = reply.partition(b"{")
    try:
        body = json.loads(brace + rest)
    except (ValueError, RecursionError):
        return reply  # lm15 says what is wrong
    try:
        lm15.response_from_openai_chat(
            {"choices": [{"message": {"content": ""}}], "usage": body.get("usage")}, model="m"
        )
    except (AttributeError, OverflowError, TypeError, ValueError):
        return mark + json.dumps({**body, "usage": None}).encode() + b"\n"
    return reply


@contextmanager
def _no_long_pause() -> Iterator[None]:
    """A block in which a server that asks for a long pause is not asked again: its refusal stands, in its own words."""
    try:
        yield
    except lm15.ProviderError as error:
        if (error.retry_after or 0) <= LONGEST_PAUSE:
            raise
        raise lm15.ProviderError(
            f"{first_line(error)}: it wants to be asked again in {error.retry_after:,.0f} s, and a call waits "
            f"{LONGEST_PAUSE:g} s at most.",
            status=error.status,
        ) from error


def ask_server(method: str, url: str, *, key: str, seconds: float, body: Any = None) -> tuple[int, Any]:
    """The status and the JSON that a server answers with, within so many seconds."""
    headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}
    patience = httpx.Timeout(seconds, connect=min(seconds, 5.0))
    with httpx.stream(method, url, json=body, headers=headers, timeout=patience) as reply:
        content, ends = bytearray(), time.monotonic() + seconds
        for chunk in reply.iter_raw():
            content += chunk
            if len(content) > MOST_BYTES or time.monotonic() > ends:
                raise httpx.ReadError("its reply does not end")
    return reply.status_code, json.loads(content)


def as_sent(request: lm15.Request) -> lm15.Request:
    """The request without marks of turns in its texts, and with an end for every text of its schema.

    A last turn of the model's own is one to go on with; vLLM and SGLang want to be told so, others do it unasked.
    """
    messages = tuple(replace(message, parts=_plain(message.parts)) for message in request.messages)
    config, form = request.config, request.config.response_format
    if form is not None and "schema" in form and config.max_tokens is not None:
        config = replace(config, response_format={**form, "schema": bounded(form["schema"], config.max_tokens)})
    if messages[-1].role == "assistant":
        config = replace(config, extensions={**(config.extensions or {}), **GO_ON})
    return replace(request, system=_plain(request.system), messages=messages, config=config)


def without_turns(text: str) -> str:
    """The text with what opens and ends a turn taken apart by a blank, which a model still reads as what it says."""
    return _TURN.sub(r"\g<0> ", text)


def _plain(content: Any) -> Any:
    if isinstance(content, str):
        return without_turns(content)
    if isinstance(content, tuple):
        return tuple(map(_plain, content))
    text = getattr(content, "text", None)
    return replace(content, text=without_turns(text)) if isinstance(text, str) else content


def bounded(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with a longest length for each text that has none, so that the answer fits into so many tokens."""
    # A small model repeats itself inside a text until its tokens are spent, and what was to follow is missing. Only the
    # last text may be cut off and still be read: one before it is bound at the length that no words take more for.
    share = tokens // max(1, _texts(schema)) - _AROUND
    sure, likely = (min(_LONGEST, max(_SHORTEST, each * share)) for each in (_SURE, _LIKELY))
    properties = schema.get("properties") or {}
    within = {name: _bounded(each, sure) for name, each in properties.items()}
    if properties:
        last = [*properties][-1]
        within[last] = _bounded(properties[last], likely)
    return {key: within if key == "properties" else _bounded(each, sure) for key, each in schema.items()}


def _texts(schema: Any) -> int:
    """The texts that an answer may have at most."""
    if isinstance(schema, list):
        return sum(map(_texts, schema))
    if not isinstance(schema, dict) or _is_free_text(schema):
        return int(isinstance(schema, dict))
    items = schema.get("maxItems", _ITEMS)
    return sum(_texts(value) * (items if key == "items" else 1) for key, value in schema.items())


def _bounded(schema: Any, room: int) -> Any:
    if isinstance(schema, list):
        return [_bounded(each, room) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if _is_free_text(schema):
        return {**schema, "maxLength": room}
    return {key: _bounded(value, room) for key, value in schema.items()}


def _is_free_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and not {"enum", "const", "format", "pattern", "maxLength"} & schema.keys()


def is_ollama(address: str) -> bool:
    """True if Ollama is at the address, by its usual port."""
    return urlsplit(address).port == _OLLAMA_PORT


def check_context(request: lm15.Request, address: str) -> None:
    """Refuse a prompt that Ollama would cut without a word; other servers refuse what does not fit themselves."""
    if not is_ollama(address):
        return
    texts = [system_text(request), *(message.text or "" for message in request.messages)]
    tokens = sum(len(_PIECE.findall(text)) for text in texts)  # at least: one for each word and run of marks
    if tokens > _SURELY_FITS and (context := _loaded_context(address, request.model)) and tokens >= context:
        raise lm15.ContextLengthError(
            f"the prompt has at least {tokens:,} tokens, and the context of {request.model} {context:,}; show fewer "
            "passages, or start Ollama with a larger OLLAMA_CONTEXT_LENGTH."
        )


def _loaded_context(address: str, model: str) -> int | None:
    """The context with which Ollama has loaded the model, which is asked for once; None while it does not say."""
    name, url = model.removesuffix(":latest"), f"{address.rstrip('/').removesuffix('/v1')}/api/ps"
    with suppress(httpx.HTTPError, LookupError, TypeError, ValueError):
        if name not in _contexts:
            loaded = ask_server("GET", url, key="EMPTY", seconds=_PATIENCE)[1]["models"]
            _contexts.update({each["name"].removesuffix(":latest"): int(each["context_length"]) for each in loaded})
    return _contexts.get(name)
