"""A call as it is kept."""

from typing import Any, TypedDict


class CachedCall(TypedDict):
    """A call as it is kept."""

    outputs: list[Any] | None
    """The LM's outputs; None for a completion that could not be parsed and was asked for again."""
    tokens: tuple[int, ...]
    """Tokens in, tokens out, whether they are estimated, and what of the prompt the provider had in its own cache and
    put there, unless nothing."""
    seconds: float
    """The seconds that the LM took."""
