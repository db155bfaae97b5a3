"""The cost of answering one question: calls, tokens, retrievals, and which of it was paid."""

import copy
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import cast

from typing_extensions import TypedDict

from .prices import current_prices
from .tokens import TokenCounts, Tokens, book, token_count


class CostRecord(TypedDict):
    """The cost of answering one question.

    A call costs the same whether it was paid now or answered from the cache, which keeps what an answer took when it
    was made. `cached` and `paid_tokens` say which part was paid.
    """

    calls: int
    """LM calls, retries included, paid or from the cache."""
    cached: int
    """Those of them that were answered from the cache."""
    estimated: int
    """Those of them whose tokens the LM did not tell, so that they were counted here."""
    retrievals: int
    """Queries sent to the retriever."""
    parse_failures: int
    """Completions that could not be parsed."""
    chain: int
    """LM calls on the longest chain in which each waited for the one before."""
    seconds: float
    """The seconds from the question's arrival to its answer, as a clock on the wall shows them."""
    calls_by_role: dict[str, int]
    """The calls by the predictor's name in its program."""
    tokens: dict[str, TokenCounts]
    """Tokens by model, of all calls."""
    paid_tokens: dict[str, TokenCounts]
    """Tokens by model, of the calls that were not answered from the cache."""
    tokens_by_role: dict[str, TokenCounts]
    """Tokens by the predictor's name, of all calls."""
    usd: float | None
    """The price of `tokens` in dollars, paid or from the cache; None where the price of a model is not known."""
    paid_usd: float | None
    """The price of `paid_tokens` in dollars; None likewise."""


@dataclass(slots=True)
class Cost:
    """The cost of answering one question until now; `CostRecord` says what each field counts.

    Examples:
        >>> from multihop.runtime import Cost, Tokens
        >>> cost = Cost(calls=2, cached=1)
        >>> cost.add("read", "openai/m", Tokens(8, 2), paid=True)
        >>> cost.add("read", "openai/m", Tokens(8, 2), paid=False)
        >>> cost.to_dict()["tokens"], cost.to_dict()["paid_tokens"]
        ({'openai/m': {'in': 16, 'out': 4}}, {'openai/m': {'in': 8, 'out': 2}})
    """

    calls: int = 0
    cached: int = 0
    estimated: int = 0
    retrievals: int = 0
    parse_failures: int = 0
    chain: int = 0
    seconds: float = 0.0
    calls_by_role: Counter[str] = field(default_factory=Counter)
    tokens: dict[str, TokenCounts] = field(default_factory=dict)
    paid_tokens: dict[str, TokenCounts] = field(default_factory=dict)
    tokens_by_role: dict[str, TokenCounts] = field(default_factory=dict)

    def add(self, role: str, model: str, tokens: Tokens, *, paid: bool) -> None:
        """Book what one call took."""
        book(self.tokens, model, tokens)
        book(self.tokens_by_role, role, tokens)
        self.estimated += tokens.estimated
        if paid:
            book(self.paid_tokens, model, tokens)

    @property
    def total_tokens(self) -> int:
        """Tokens in and out over all models."""
        return token_count(self.tokens)

    def to_dict(self) -> CostRecord:
        """The cost as plain JSON-able values, in dollars too by the prices of this context."""
        prices = current_prices.get()
        record = copy.deepcopy({each.name: getattr(self, each.name) for each in fields(self)})
        record |= {"calls_by_role": dict(self.calls_by_role)}
        record |= {"usd": prices.usd(self.tokens), "paid_usd": prices.usd(self.paid_tokens)}
        return cast(CostRecord, record)
