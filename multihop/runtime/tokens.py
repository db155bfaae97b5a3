"""Tokens: of one call, counted up by whose they are, and estimated where an LM does not tell them."""

import functools
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, NamedTuple, NotRequired, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from ..base import InputError
from ..base.files import misfit

_COUNTED = Field(ge=0, lt=10**12)
_BYTES = 4
"""A token is about so many, in English and in Chinese."""


class Tokens(NamedTuple):
    """The tokens of one call."""

    into: int
    """Tokens of the prompt."""
    out: int
    """Tokens of the completion."""
    estimated: bool = False
    """True if the LM did not tell, so that they were counted here."""
    prompt_cached: int | None = None
    """Tokens of the prompt that the provider read from its prompt cache; None if it did not tell."""
    prompt_written: int = 0
    """Tokens of the prompt that the provider wrote to its prompt cache."""

    @classmethod
    def from_usage(cls, usage: Any) -> "Tokens | None":
        """The tokens that an LM reports, in the words of any provider; None where it reports none that can be true."""
        try:
            into = _told(usage, "prompt_tokens", "input_tokens") or 0
            out = _told(usage, "completion_tokens", "output_tokens") or 0
            into = into if into or out else _told(usage, "total_tokens") or 0
            details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
            all_told = {**usage, **details}
            cached = _told(all_told, "cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens")
            written = _told(all_told, "cache_creation_tokens", "cache_creation_input_tokens") or 0
        except (AttributeError, TypeError, ValueError):
            return None
        if not (into or out) or (cached or 0) > into:
            return None
        return cls(into, out, False, cached, min(into - (cached or 0), written))


def _told(counts: Mapping[str, Any], *names: str) -> int | None:
    """The first of these counts that there is; no prompt and no completion has more than 100 million tokens."""
    for name in names:
        if (count := counts.get(name)) is not None:
            if type(count) is not int or not 0 <= count <= 100_000_000:
                raise ValueError(f"{count!r} is no number of tokens")
            return count
    return None


TokenCounts = TypedDict(  # "in" is a word of Python's own, so it cannot be a field of a class
    "TokenCounts",
    {
        "in": Annotated[int, "Tokens of the prompts.", _COUNTED],
        "out": Annotated[int, "Tokens of the completions.", _COUNTED],
        "prompt_cached": NotRequired[
            Annotated[
                int, "Of the prompts, what the provider had in its own cache; missing where it did not tell.", _COUNTED
            ]
        ],
        "prompt_written": NotRequired[
            Annotated[int, "Of the prompts, what it put there; missing where nothing.", _COUNTED]
        ],
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
    """Tokens in and out over all models, as a row or a summary has them."""
    return sum(counts.get("in", 0) + counts.get("out", 0) for counts in tokens.values())


def estimate_tokens(messages: Any, outputs: list[Any]) -> Tokens:
    """About the tokens of a prompt and its completions, one for every four bytes of text, marked as estimated."""
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


BUILT_IN = "multihop/"
"""Models of such a name answer in this process and cost nothing."""
_MILLION = 1_000_000
Dollars = Annotated[float, Field(ge=0, lt=10**12, allow_inf_nan=False)]


@with_config(ConfigDict(extra="forbid", strict=True))
class PriceRecord(TypedDict):
    """The prices of a model's tokens, in dollars a million."""

    input: Dollars
    """Tokens of the prompts."""
    output: Dollars
    """Tokens of the completions."""
    cached: NotRequired[Dollars]
    """Tokens of the prompts that the provider had in its own cache of prompts; those of `input` if missing."""
    written: NotRequired[Dollars]
    """Tokens of the prompts that it put there; those of `input` if missing."""


_FREE: PriceRecord = {"input": 0.0, "output": 0.0}
_PRICES = TypeAdapter(dict[str, PriceRecord])


class PriceList:
    """The prices of models: your own first, then those that come with DSPy."""

    def __init__(self, own: Any = None, *, where: str = "prices") -> None:
        """Your own prices, `PriceRecord`s by model, before those that come with DSPy; an error says `where`."""
        try:
            self._own = _PRICES.validate_python({} if own is None else own)
        except ValidationError as error:
            raise InputError(
                f'{where}: {misfit(error)}; a price is "input" and "output", in dollars for a million tokens, with '
                '"cached" and "written" where they differ.'
            ) from None

    def of(self, model: str) -> PriceRecord | None:
        """The price of a model; None where it is unknown."""
        if model.startswith(BUILT_IN):
            return _FREE
        return self._own.get(model) or _listed(model)

    def with_own(self, own: Mapping[str, PriceRecord], *, where: str = "prices") -> "PriceList":
        """A copy of the list, with these prices before all others."""
        return PriceList({**self._own, **own}, where=where)

    def unknown(self, models: Iterable[str]) -> list[str]:
        """The models whose price is not known."""
        return [model for model in dict.fromkeys(models) if self.of(model) is None]

    def usd(self, tokens: Mapping[str, TokenCounts]) -> float | None:
        """The price of tokens by model in dollars; None where one of the models has no known price."""
        parts: list[float] = []
        for model, counts in tokens.items():
            if (price := self.of(model)) is None:
                return None
            cached, written = counts.get("prompt_cached", 0), counts.get("prompt_written", 0)
            parts += [
                (counts["in"] - cached - written) * price["input"],
                cached * price.get("cached", price["input"]),
                written * price.get("written", price["input"]),
                counts["out"] * price["output"],
            ]
        return round(math.fsum(parts) / _MILLION, 12)  # of an exact sum: in whatever order it was added up


current_prices: ContextVar[PriceList] = ContextVar("multihop_prices", default=PriceList())  # noqa: B039 - never changed


@contextmanager
def priced_by(prices: PriceList | Mapping[str, Any] | None) -> Iterator[PriceList]:
    """A block in which money is counted by these prices.

    Args:
        prices: Prices by model, such as `{"openai/my-model": {"input": 0.4, "output": 1.6, "cached": 0.1}}`, in
            dollars for a million tokens. Other models have the price that comes with DSPy.

    Examples:
        >>> from multihop import priced_by
        >>> with priced_by({"server/qwen3-8b": {"input": 0.05, "output": 0.2}}) as prices:
        ...     prices.usd({"server/qwen3-8b": {"in": 20_000, "out": 500}})
        0.0011

    Raises:
        InputError: They are no such prices.
    """
    if prices is None:
        yield current_prices.get()
        return
    if not isinstance(prices, PriceList):
        prices = PriceList(prices)
    outer = current_prices.set(prices)
    try:
        yield prices
    finally:
        current_prices.reset(outer)


def check_priced(models: Iterable[str]) -> None:
    """Refuse a budget in dollars for models whose price is unknown."""
    if unpriced := current_prices.get().unknown(models):
        raise InputError(
            f"a budget in dollars needs the price of {' and '.join(unpriced)}, which is not known; "
            "give it as price in a file for --lms (in Python, priced_by)."
        )


def show_usd(usd: float | None) -> str:
    """Money for people: cents from a dollar on, else the first three digits that count.

    Examples:
        >>> from multihop.runtime import show_usd
        >>> [show_usd(usd) for usd in (1234.5, 0.25, 0.000123456, 0, None)]
        ['$1,234.50', '$0.25', '$0.000123', '$0', 'price unknown']
    """
    if usd is None:
        return "price unknown"
    if usd >= 1 or not usd:
        return f"${usd:,.2f}" if usd else "$0"
    return f"${round(usd, 2 - math.floor(math.log10(usd))):.12f}".rstrip("0")


@functools.cache
def _listed(model: str) -> PriceRecord | None:
    """The price that comes with DSPy: LiteLLM's table, for which LiteLLM, which takes seconds, is not imported."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")  # or the table is looked for on the network
    from dspy.clients.model_metadata import model_info, rate

    provider, slash, name = model.partition("/")
    info = model_info(provider, name) if slash else model_info("openai", model)
    prompt, completion = (rate(info, f"{kind}_cost_per_token") for kind in ("input", "output"))
    if prompt is None or completion is None:
        return None
    cached, written = (rate(info, f"cache_{kind}_input_token_cost") for kind in ("read", "creation"))
    rates = {"input": prompt, "output": completion, "cached": cached, "written": written}
    return cast(PriceRecord, {name: round(each * _MILLION, 6) for name, each in rates.items() if each is not None})
