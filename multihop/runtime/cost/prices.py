"""The prices of tokens in dollars: by LiteLLM's table, which is installed with DSPy, or by a file of your own.

Money is never added up: it is the tokens, which are whole numbers, times whole prices in millionths of a millionth of a
dollar a token. So it is the same in whatever order calls end, and for runs that were made before their price was known.
"""

import functools
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypedDict

import ujson

from ...base import InputError, read_small
from ...base.private_names import price_table
from .tokens import TokenCounts

BUILT_IN = "multihop/"
"""Models of such a name answer in this process and cost nothing."""
_A_DOLLAR, _A_MILLION = 10**12, 10**6
_FIELDS = ("input", "output", "cached", "written")


class PriceRecord(TypedDict):
    """The prices of a model's tokens, in dollars a million."""

    input: float
    """Tokens of the prompts."""
    output: float
    """Tokens of the completions."""
    cached: float
    """Tokens of the prompts that the provider had in its own cache of prompts."""
    written: float
    """Tokens of the prompts that it put there."""


class TokenPrice(NamedTuple):
    """The prices of a model's tokens, each in millionths of a millionth of a dollar."""

    input: int
    """A token of the prompt."""
    output: int
    """A token of the completion."""
    cached: int
    """A token of the prompt that the provider had in its own cache."""
    written: int
    """A token of the prompt that it put there."""

    def of(self, counts: TokenCounts) -> int:
        """The price of so many tokens."""
        cached, written = counts.get("prompt_cached", 0), counts.get("prompt_written", 0)
        prompt = (counts["in"] - cached - written) * self.input + cached * self.cached + written * self.written
        return prompt + counts["out"] * self.output

    def to_record(self) -> PriceRecord:
        """The price as people know it."""
        dollars = [price * _A_MILLION / _A_DOLLAR for price in self]
        return {"input": dollars[0], "output": dollars[1], "cached": dollars[2], "written": dollars[3]}


FREE = TokenPrice(0, 0, 0, 0)


class PriceList:
    """The prices of models: those of one's own first, then those of LiteLLM's table.

    Examples:
        >>> from multihop.runtime import PriceList
        >>> prices = PriceList({"openai/mine": {"input": 2.0, "output": 8.0, "cached": 0.5}})
        >>> prices.usd({"openai/mine": {"in": 1_000_000, "out": 1000, "prompt_cached": 500_000}})
        1.258
        >>> print(prices.usd({"openai/another": {"in": 1, "out": 1}}))
        None
        >>> prices.unknown(["openai/mine", "openai/another", "multihop/local"])
        ['openai/another']
    """

    def __init__(self, own: Mapping[str, Any] | None = None, *, where: str = "prices") -> None:
        """Prices of one's own beside those of the table.

        Args:
            own: By model, dollars for a million tokens: "input", "output", and "cached" and "written" where the
                provider prices what is in its cache apart; LiteLLM's table alone by default.
            where: The name of the prices in an error.

        Raises:
            InputError: They are no such prices.
        """
        if not isinstance(own, Mapping | None):
            raise InputError(f"{where}: it must be an object of models and their prices.")
        self._own = {model: _read_price(price, f"{where}: {model}") for model, price in (own or {}).items()}

    def of(self, model: str) -> TokenPrice | None:
        """The price of a model; None where nobody knows."""
        if model.startswith(BUILT_IN):
            return FREE
        return self._own.get(model) or _listed(model)

    def with_own(self, own: Mapping[str, Any], *, where: str = "prices") -> "PriceList":
        """The same list, in which these prices of one's own come first.

        Raises:
            InputError: They are no such prices.
        """
        more = PriceList(own, where=where)
        more._own = self._own | more._own
        return more

    def unknown(self, models: Iterable[str]) -> list[str]:
        """Those of the models whose price is not known."""
        return [model for model in dict.fromkeys(models) if self.of(model) is None]

    def usd(self, tokens: Mapping[str, TokenCounts]) -> float | None:
        """The price of tokens by model in dollars; None where one of the models has no known price."""
        total = 0
        for model, counts in tokens.items():
            if (price := self.of(model)) is None:
                return None
            total += price.of(counts)
        return total / _A_DOLLAR

    def to_records(self, models: Iterable[str]) -> dict[str, PriceRecord | None]:
        """The prices of these models as people know them; None where nobody knows."""
        found = {model: self.of(model) for model in sorted(set(models))}
        return {model: None if price is None else price.to_record() for model, price in found.items()}


current_prices: ContextVar[PriceList] = ContextVar("multihop_prices", default=PriceList())  # noqa: B039 - never changed


@contextmanager
def priced_by(prices: PriceList | Mapping[str, Any] | str | os.PathLike[str] | None) -> Iterator[PriceList]:
    """A block in which money is counted by these prices.

    Args:
        prices: A JSON file, or what it says: `{"openai/my-model": {"input": 0.4, "output": 1.6, "cached": 0.1}}`,
            in dollars for a million tokens. Models that are not in it have the price of LiteLLM's table.

    Examples:
        >>> from multihop import priced_by
        >>> with priced_by({"server/qwen3-8b": {"input": 0.05, "output": 0.2}}) as prices:
        ...     prices.usd({"server/qwen3-8b": {"in": 20_000, "out": 500}})
        0.0011

    Raises:
        InputError: They are no such prices, or the file cannot be read.
    """
    if prices is None:
        yield current_prices.get()
        return
    if not isinstance(prices, PriceList | Mapping):
        prices = read_prices(prices)
    outer = current_prices.set(prices if isinstance(prices, PriceList) else PriceList(prices))
    try:
        yield current_prices.get()
    finally:
        current_prices.reset(outer)


def read_prices(file: str | os.PathLike[str]) -> PriceList:
    """The prices that a JSON file says.

    Raises:
        InputError: It cannot be read, or says no such prices.
    """
    try:
        content = read_small(file)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}.") from None
    try:
        own = ujson.loads(content)
    except ValueError as error:
        raise InputError(f"{file} is no JSON: {error}.") from None
    if not isinstance(own, dict):
        raise InputError(f"{file}: it must be an object of models and their prices.")
    return PriceList(own, where=str(file))


def check_priced(models: Iterable[str]) -> None:
    """Refuse a budget in dollars for models whose price nobody knows.

    Raises:
        InputError: There is such a model.
    """
    if unpriced := current_prices.get().unknown(models):
        raise InputError(
            f"a budget in dollars needs the price of {' and '.join(unpriced)}, which is not known; "
            "give it in a file with --prices (in Python, priced_by)."
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


def _read_price(price: Any, where: str) -> TokenPrice:
    if not isinstance(price, Mapping) or not {"input", "output"} <= price.keys() <= {*_FIELDS}:
        raise InputError(
            f'{where}: a price is {{"input": DOLLARS, "output": DOLLARS}} for a million tokens, '
            'and "cached" and "written" where they differ.'
        )
    for name, dollars in price.items():
        if type(dollars) not in (int, float) or not 0 <= dollars < math.inf:
            raise InputError(f"{where}: {name} is a number of dollars from 0 on, not {dollars!r}.")
    whole = {name: round(dollars * (_A_DOLLAR // _A_MILLION)) for name, dollars in price.items()}
    return TokenPrice(*(whole.get(name, whole["input"]) for name in _FIELDS))


def _listed(model: str) -> TokenPrice | None:
    """The price in LiteLLM's table, which leaves out the provider of some models' names."""
    table = _table()
    if model in table:
        return table[model][1]
    provider, _, name = model.partition("/")
    listed = table.get(name)
    return listed[1] if listed is not None and listed[0].startswith(provider) else None


@functools.cache
def _table() -> dict[str, tuple[str, TokenPrice]]:
    """Provider and price of every model in the table that is priced by the token; the package is not imported."""
    path = price_table()
    if path is None:
        return {}
    found = {}
    for model, entry in ujson.loads(path.read_bytes()).items():
        prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if isinstance(prompt, int | float) and isinstance(completion, int | float):
            cached = entry.get("cache_read_input_token_cost", prompt)
            written = entry.get("cache_creation_input_token_cost", prompt)
            price = TokenPrice(*(round((each or 0) * _A_DOLLAR) for each in (prompt, completion, cached, written)))
            found[model] = str(entry.get("litellm_provider", "")), price
    return found
