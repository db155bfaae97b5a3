"""What is asked of a server of one's own, on its way: a prompt that cannot fit into the context is not sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

from dspy.lm15 import AsyncOpenAIChatLM, ContextLengthError, OpenAIChatLM, Request, Response

from .bounded_texts import with_bounded_texts
from .family import family_of
from .prompt import system_text
from .served_model import context_of
from .turns import in_plain_text

if TYPE_CHECKING:
    from dspy.lm15 import StreamEvent

_SURELY_FITS = 1000
"""A prompt of fewer words and marks is sent without asking for the context."""
_PIECE = re.compile(r"\w+|[^\w\s]+")
_REFUSALS = (
    re.compile(r"context length is (?P<context>\d+) tokens\D+\d+ tokens \((?P<prompt>\d+) in the messages"),
    re.compile(r"context length is (?P<context>\d+) tokens\D+(?P<prompt>\d+) input tokens"),
    re.compile(r"request \((?P<prompt>\d+) tokens\) exceeds the available context size \((?P<context>\d+) tokens\)"),
)
"""The words in which llama-cpp-python, vLLM and llama.cpp refuse a prompt that is too long."""


class ServedLM(OpenAIChatLM):
    """A provider whose servers are asked for their context before they get a long prompt."""

    __slots__ = ()

    def complete(self, request: Request) -> Response:
        """One answer."""
        request = self._checked(request)
        with in_one_sentence(request.model):
            return super().complete(request)

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """One answer, piece by piece."""
        request = self._checked(request)
        with in_one_sentence(request.model):
            yield from super().stream(request)

    def _checked(self, request: Request) -> Request:
        """The request as the server gets it, if it fits."""
        request = with_bounded_texts(in_plain_text(request))
        if may_be_long(request):
            check_fits(request, self.base_url, _key(self.api_key))
        return request


class AsyncServedLM(AsyncOpenAIChatLM):
    """The same, asynchronous."""

    __slots__ = ()

    async def complete(self, request: Request) -> Response:
        """One answer."""
        request = await self._checked(request)
        with in_one_sentence(request.model):
            return await super().complete(request)

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One answer, piece by piece."""
        request = await self._checked(request)
        with in_one_sentence(request.model):
            async with aclosing(super().stream(request)) as events:  # who leaves early closes the connection at once
                async for event in events:
                    yield event

    async def _checked(self, request: Request) -> Request:
        """The request as the server gets it, if it fits."""
        request = with_bounded_texts(in_plain_text(request))
        if may_be_long(request):
            await asyncio.to_thread(check_fits, request, self.base_url, _key(self.api_key))
        return request


def may_be_long(request: Request) -> bool:
    """True if the prompt is longer than what every context has room for."""
    long = sum(map(len, _texts(request))) >= _SURELY_FITS  # no token is shorter than a character
    return long and _tokens(request) >= _SURELY_FITS


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
        raise _too_long(f"at least {tokens:,}", request.model, context)


@contextmanager
def in_one_sentence(model: str) -> Iterator[None]:
    """A block in which a server's refusal of a prompt that is too long is said in our words.

    Where it would fit, and only the answer would not, the server's own words say so.
    """
    try:
        yield
    except ContextLengthError as error:
        for refusal in _REFUSALS:
            if (found := refusal.search(str(error))) and int(found["prompt"]) >= int(found["context"]):
                raise _too_long(f"{int(found['prompt']):,}", model, int(found["context"])) from error
        raise


def least_tokens(text: str) -> int:
    """Tokens that a text has at least: one a word and one a run of marks.

    No tokenizer in use joins words; those of language models have a sixth more tokens of English prose, or twice as
    many.

    Examples:
        >>> from multihop.lms.served_lm import least_tokens
        >>> least_tokens("[[ ## answer ## ]] Toruń, in Poland.")
        10
    """
    return len(_PIECE.findall(text))


def _too_long(tokens: str, model: str, context: int) -> ContextLengthError:
    return ContextLengthError(
        f"the prompt has {tokens} tokens, and the context of {model} {context:,}; show fewer passages, or start its "
        "server with a larger context."
    )


def _tokens(request: Request) -> int:
    return sum(map(least_tokens, _texts(request)))


def _texts(request: Request) -> list[str]:
    return [system_text(request), *(message.text or "" for message in request.messages)]


def _key(key: object) -> str:
    return key if isinstance(key, str) else "EMPTY"
