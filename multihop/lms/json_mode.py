"""A JSON schema as some servers take it: beside JSON mode, where OpenAI's protocol has a form of its own for it.

llama-cpp-python's server keeps to `{"type": "json_object", "schema": ...}` and knows no `json_schema`. DSPy writes the
latter; here the former is put in its place, before the request is written down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dspy.lm15 import ProviderDefinition, Request, Response

from .bounded_texts import with_bounded_texts
from .served_lm import AsyncServedLM, ServedLM

if TYPE_CHECKING:
    from dspy.lm15 import StreamEvent


class JSONModeLM(ServedLM):
    """A provider whose servers take a schema beside JSON mode."""

    __slots__ = ()

    def complete(self, request: Request) -> Response:
        """One answer."""
        return super().complete(in_json_mode(request))

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """One answer, piece by piece."""
        events: Iterator[StreamEvent] = super().stream(in_json_mode(request))
        return events


class AsyncJSONModeLM(AsyncServedLM):
    """The same, asynchronous."""

    __slots__ = ()

    async def complete(self, request: Request) -> Response:
        """One answer."""
        return await super().complete(in_json_mode(request))

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One answer, piece by piece."""
        events: AsyncIterator[StreamEvent] = super().stream(in_json_mode(request))
        return events


def taking_schemas_in_json_mode(definition: ProviderDefinition) -> ProviderDefinition:
    """The provider, with a schema sent beside JSON mode."""
    return replace(definition, adapter=JSONModeLM, async_adapter=AsyncJSONModeLM)


def in_json_mode(request: Request) -> Request:
    """The request with its schema, if it has one, beside JSON mode.

    Examples:
        >>> from dspy.lm15 import Config, Message, Request
        >>> from multihop.lms.json_mode import in_json_mode
        >>> config = Config(response_format={"type": "json_schema", "schema": {"type": "object"}})
        >>> in_json_mode(Request("m", (Message.user("Hello"),), config=config)).config.extensions
        {'response_format': {'type': 'json_object', 'schema': {'type': 'object'}}}
    """
    config = with_bounded_texts(request).config
    schema = (config.response_format or {}).get("schema")
    if schema is None:
        return request
    extensions = {**(config.extensions or {}), "response_format": {"type": "json_object", "schema": schema}}
    return replace(request, config=replace(config, response_format=None, extensions=extensions))
