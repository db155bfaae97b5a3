"""Tokens: of one call, counted up by whose they are, and estimated where an LM does not tell them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

_BYTES = 4
"""A token is about so many, in English and in Chinese."""


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
    """About the tokens of a prompt and its completions, one for every four bytes of text, marked as estimated.

    Examples:
        >>> from multihop.runtime import estimate_tokens
        >>> estimate_tokens([{"role": "user", "content": "Who wrote Emma?"}], ["Jane Austen"])
        Tokens(into=4, out=3, estimated=True, prompt_cached=None, prompt_written=0)
    """
    return Tokens(_estimate(messages), sum(map(_estimate, outputs)), estimated=True)


def _estimate(value: Any) -> int:
    return -(-len(_text_of(value).encode("utf-8", "replace")) // _BYTES)


def _text_of(value: Any) -> str:
    """All text within messages or outputs."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_text_of(part) for name, part in value.items() if name not in ("role", "type", "logprobs"))
    return "\n".join(map(_text_of, value)) if isinstance(value, list | tuple) else ""
