"""Requests to your own server: texts that open no turn, schemas whose texts end, prompts that are not cut."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dspy.lm15 import AsyncOpenAIChatLM, ContextLengthError, OpenAIChatLM, Request, Response

from .prompt import system_text

if TYPE_CHECKING:
    from dspy.lm15 import StreamEvent

_OLLAMA_PORT = 11434
_PATIENCE = 2.0
_SURELY_FITS = 1000
"""A prompt of so few words and marks is sent without asking Ollama for the context."""
_PIECE = re.compile(r"\w+|[^\w\s]+")
_TURN = re.compile(
    r"<(?=\|[a-z_]\w{0,30}\|>)"  # ChatML, Llama 3, Phi, Granite, GLM, gpt-oss
    r"|<(?=\uff5c[^<>\uff5c]{1,40}\uff5c>)"  # DeepSeek
    r"|<(?=(?:start|end)_of_turn>)"  # Gemma
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CALLS)\])",  # Mistral, Llama 2
    re.IGNORECASE,
)
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


class ServedLM(OpenAIChatLM):
    """Asks your own server."""

    __slots__ = ()

    def complete(self, request: Request) -> Response:
        """One answer."""
        check_context(request, self.base_url)
        return super().complete(as_sent(request))

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """One answer, piece by piece."""
        check_context(request, self.base_url)
        yield from super().stream(as_sent(request))


class AsyncServedLM(AsyncOpenAIChatLM):
    """Asks your own server asynchronously."""

    __slots__ = ()

    async def complete(self, request: Request) -> Response:
        """One answer."""
        if is_ollama(self.base_url):
            await asyncio.to_thread(check_context, request, self.base_url)
        return await super().complete(as_sent(request))

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One answer, piece by piece."""
        if is_ollama(self.base_url):
            await asyncio.to_thread(check_context, request, self.base_url)
        async with aclosing(super().stream(as_sent(request))) as events:  # who leaves early closes the connection
            async for event in events:
                yield event


def as_sent(request: Request) -> Request:
    """The request without marks of turns in its texts, and with an end for every text of its schema."""
    messages = tuple(replace(message, parts=_plain(message.parts)) for message in request.messages)
    config, form = request.config, request.config.response_format
    if form is not None and "schema" in form and config.max_tokens is not None:
        config = replace(config, response_format={**form, "schema": bounded(form["schema"], config.max_tokens)})
    return replace(request, system=_plain(request.system), messages=messages, config=config)


def without_turns(text: str) -> str:
    """The text with what opens and ends a turn taken apart by a blank, which a model still reads as what it says.

    A server puts the messages into the model's chat template and reads every special token in the result, also one that
    came with a passage. Hosted LMs tell contents apart themselves.
    """
    return _TURN.sub(r"\g<0> ", text)


def _plain(content: Any) -> Any:
    if isinstance(content, str):
        return without_turns(content)
    if isinstance(content, tuple):
        return tuple(map(_plain, content))
    text = getattr(content, "text", None)
    return replace(content, text=without_turns(text)) if isinstance(text, str) else content


def bounded(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with a longest length for each text that has none, so that the answer fits into so many tokens.

    A small model repeats itself inside a text until its tokens are spent; then the JSON is cut off, and what was to
    follow is missing. The last text may be cut off and still be read; one before it is bound more closely, at the
    length that no words take more tokens for.
    """
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


def check_context(request: Request, address: str) -> None:
    """Refuse a prompt that Ollama would cut without a word; other servers refuse what does not fit themselves.

    A prompt has a token for each word and each run of marks at least.
    """
    if not is_ollama(address):
        return
    texts = [system_text(request), *(message.text or "" for message in request.messages)]
    tokens = sum(len(_PIECE.findall(text)) for text in texts)
    if tokens > _SURELY_FITS and (context := _loaded_context(address, request.model)) and tokens >= context:
        raise ContextLengthError(
            f"the prompt has at least {tokens:,} tokens, and the context of {request.model} {context:,}; show fewer "
            "passages, or start Ollama with a larger OLLAMA_CONTEXT_LENGTH."
        )


def _loaded_context(address: str, model: str) -> int | None:
    """The context with which Ollama has loaded the model, which is asked for once; None while it does not say."""
    import httpx

    name = model.removesuffix(":latest")
    with suppress(httpx.HTTPError, LookupError, TypeError, ValueError):
        if name not in _contexts:
            loaded = httpx.get(f"{address.rstrip('/').removesuffix('/v1')}/api/ps", timeout=_PATIENCE).json()["models"]
            _contexts.update({each["name"].removesuffix(":latest"): int(each["context_length"]) for each in loaded})
    return _contexts.get(name)
