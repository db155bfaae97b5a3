"""Tokens: of one call, counted up by whose they are, and estimated where an LM does not tell them."""

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from ...base.private_names import tokenizer_table

_CHARACTERS = 4
"""A token is about so many, where no tokenizer is to be had."""


class Tokens(NamedTuple):
    """The tokens of one call.

    Examples:
        >>> from multihop.runtime import Tokens
        >>> Tokens.from_usage({"prompt_tokens": 8, "completion_tokens": 2})
        Tokens(into=8, out=2, estimated=False, prompt_cached=None, prompt_written=0)
        >>> Tokens.from_usage({}) is None
        True
    """

    into: int
    """Tokens of the prompt."""
    out: int
    """Tokens of the completion."""
    estimated: bool = False
    """True if the LM did not tell, so that they were counted here."""
    prompt_cached: int | None = None
    """Those of the prompt that the provider had in its own cache of prompts; None if it did not tell."""
    prompt_written: int = 0
    """Those that it put there."""

    def kept(self) -> tuple[int, ...]:
        """All of it as plain numbers, without what the provider did not tell of its cache."""
        told = self.prompt_cached is not None or self.prompt_written
        return (self.into, self.out, self.estimated, *((self.prompt_cached or 0, self.prompt_written) if told else ()))

    @classmethod
    def of_kept(cls, numbers: Sequence[int]) -> "Tokens":
        """Read the numbers that `kept` gave."""
        into, out, estimated, *of_prompt = numbers
        return cls(into, out, bool(estimated), *of_prompt)

    @classmethod
    def from_usage(cls, usage: dict[str, Any]) -> "Tokens | None":
        """The tokens that an LM reports, in the words of any provider; None where it reports none."""
        into = int(usage.get("prompt_tokens") or usage.get("input_tokens") or 0)
        out = int(usage.get("completion_tokens") or usage.get("output_tokens") or 0)
        if not (into or out):
            into = int(usage.get("total_tokens") or 0)
        return cls(into, out, False, *_of_cached_prompt(usage, into)) if into or out else None


TokenCounts = TypedDict(  # "in" is a word of Python's own, so it cannot be a field of a class
    "TokenCounts",
    {
        "in": Annotated[int, "Tokens of the prompts."],
        "out": Annotated[int, "Tokens of the completions."],
        "prompt_cached": NotRequired[
            Annotated[int, "Of the prompts, what the provider had in its own cache; missing where it did not tell."]
        ],
        "prompt_written": NotRequired[Annotated[int, "Of the prompts, what it put there; missing where nothing."]],
    },
)
"""The tokens that went in, and those that came out."""


def book(spent: dict[str, TokenCounts], whose: str, tokens: Tokens) -> None:
    """Add what one call took to what was spent under that name."""
    counts = spent.setdefault(whose, {"in": 0, "out": 0})
    counts["in"] += tokens.into
    counts["out"] += tokens.out
    if tokens.prompt_cached is not None:
        counts["prompt_cached"] = counts.get("prompt_cached", 0) + tokens.prompt_cached
    if tokens.prompt_written:
        counts["prompt_written"] = counts.get("prompt_written", 0) + tokens.prompt_written


def counts_of(tokens: Tokens) -> TokenCounts:
    """The tokens of one call as a record."""
    spent: dict[str, TokenCounts] = {}
    book(spent, "", tokens)
    return spent[""]


def tokens_of(counts: TokenCounts, *, estimated: bool = False) -> Tokens:
    """Read the tokens from their record."""
    return Tokens(counts["in"], counts["out"], estimated, counts.get("prompt_cached"), counts.get("prompt_written", 0))


def token_count(tokens: Mapping[str, TokenCounts]) -> int:
    """Tokens in and out over all models, as a row or a summary has them.

    Examples:
        >>> from multihop.runtime import token_count
        >>> token_count({"a": {"in": 5, "out": 2}, "b": {"in": 1}})
        8
    """
    return sum(counts.get("in", 0) + counts.get("out", 0) for counts in tokens.values())


def _of_cached_prompt(usage: dict[str, Any], into: int) -> tuple[int | None, int]:
    """Tokens of a prompt that the provider had in its cache, and those it put there, in the words of any provider."""
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
    details = details if isinstance(details, dict) else {}
    told = (
        details.get("cached_tokens"),
        usage.get("cache_read_input_tokens"),
        usage.get("prompt_cache_hit_tokens"),
    )
    cached = next((min(into, int(count)) for count in told if count is not None), None)
    written = details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens")
    return cached, min(into - (cached or 0), int(written or 0))


def estimate_tokens(messages: Any, outputs: list[Any]) -> Tokens:
    """The tokens of a prompt and its completions, counted as OpenAI's models do, and marked as estimated.

    Examples:
        >>> from multihop.runtime import estimate_tokens
        >>> estimate_tokens([{"role": "user", "content": "Who wrote Emma?"}], ["Jane Austen"]).estimated
        True
    """
    count = _counter()
    return Tokens(count(_text_of(messages)), sum(count(_text_of(output)) for output in outputs), estimated=True)


def _text_of(value: Any) -> str:
    """All text within messages or outputs."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_text_of(part) for name, part in value.items() if name not in ("role", "type", "logprobs"))
    return "\n".join(map(_text_of, value)) if isinstance(value, list | tuple) else ""


@functools.cache
def _counter() -> Callable[[str], int]:
    """Counts tokens with the table that comes with LiteLLM: nothing is downloaded."""
    table = tokenizer_table()
    if table is None or find_spec("tiktoken") is None:
        return lambda text: -(-len(text) // _CHARACTERS)
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(table.parent)
    try:
        encoding = tiktoken.get_encoding("cl100k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return lambda text: len(encoding.encode(text, disallowed_special=()))
