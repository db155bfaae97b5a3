"""What is asked of a server of one's own, on its way: a prompt that cannot fit into the context is not sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from dspy.lm15 import AsyncOpenAIChatLM, OpenAIChatLM, Request, Response

from .context import least_tokens, too_long
from .family import family_of
from .prompt import system_text
from .served_model import context_of

if TYPE_CHECKING:
    from dspy.lm15 import StreamEvent

_SURELY_FITS = 1000
"""A prompt of fewer words and marks is sent without asking for the context."""


class ServedLM(OpenAIChatLM):
    """A provider whose servers are asked for their context before they get a long prompt."""

    __slots__ = ()

    def complete(self, request: Request) -> Response:
        """One answer."""
        if may_be_long(request):
            check_fits(request, self.base_url, _key(self.api_key))
        return super().complete(request)

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """One answer, piece by piece."""
        if may_be_long(request):
            check_fits(request, self.base_url, _key(self.api_key))
        events: Iterator[StreamEvent] = super().stream(request)
        return events


class AsyncServedLM(AsyncOpenAIChatLM):
    """The same, asynchronous."""

    __slots__ = ()

    async def complete(self, request: Request) -> Response:
        """One answer."""
        if may_be_long(request):
            await asyncio.to_thread(check_fits, request, self.base_url, _key(self.api_key))
        return await super().complete(request)

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One answer, piece by piece."""
        if may_be_long(request):
            await asyncio.to_thread(check_fits, request, self.base_url, _key(self.api_key))
        async with aclosing(super().stream(request)) as events:  # who leaves early closes the connection at once
            async for event in events:
                yield event


def may_be_long(request: Request) -> bool:
    """True if the prompt is longer than what every context has room for."""
    return _tokens(request) >= _SURELY_FITS


def check_fits(request: Request, api_base: str, api_key: str = "EMPTY") -> None:
    """Refuse a prompt that is clearly longer than the context of its model.

    The context is what the server tells, else that of the largest models of the family.

    Raises:
        ContextLengthError: It is.
    """
    context = context_of(api_base, request.model, api_key)
    if context is None:
        family = family_of(request.model)
        context = family.context if family else None
    if context is not None and (tokens := _tokens(request)) >= context:
        remedy = "start its server with a larger context"
        raise too_long(tokens, request.model, context, remedy=remedy, about="at least")


def _tokens(request: Request) -> int:
    return sum(map(least_tokens, (system_text(request), *(message.text or "" for message in request.messages))))


def _key(key: object) -> str:
    return key if isinstance(key, str) else "EMPTY"
