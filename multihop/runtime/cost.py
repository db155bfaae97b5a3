"""The cost of answering one question: calls, tokens, retrievals, and which of it was paid."""

import copy
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Annotated, ClassVar, cast

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from ..base import InputError
from .bill import Bill
from .tokens import TokenCounts, Tokens, book, check_priced, current_prices, token_count


class CostRecord(TypedDict):
    """The cost of answering one question.

    A call costs the same whether it was paid now or answered from the cache, which keeps what an answer took when it
    was made. `cached` and `paid_tokens` say which part was paid.
    """

    calls: int
    """LM calls, retries included, paid or from the cache."""
    cached: int
    """Calls that were answered from the cache."""
    estimated: int
    """Calls whose tokens the LM did not tell, so that they were counted here."""
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
    """The price of `paid_tokens` in dollars; None where the price of a model is not known."""


@dataclass(slots=True)
class Cost:
    """The cost of answering one question until now; `CostRecord` says what each field counts."""

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


Limit = Annotated[int, Field(ge=0)] | None
MOST_CALLS = 10_000
"""Calls for one question at most where its budget names no number."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that answering one question may cost; `None` is no limit.

    Examples:
        >>> from multihop.runtime import Budget
        >>> Budget(calls=20, seconds=30)
        Budget(calls=20, tokens=None, seconds=30, usd=None)
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    calls: Limit = None
    """LM calls, retries included, whether paid or answered from the cache; None allows 10,000."""
    tokens: Limit = None
    """Tokens in and out of those calls, as the LMs report them. The search ends once so many are spent; the calls that
    are in flight then and the reading of what was found come on top."""
    seconds: Annotated[float, Field(ge=0)] | None = None
    """Wall-clock time from the moment the question arrives."""
    usd: Annotated[float, Field(ge=0)] | None = None
    """The price of those calls in dollars, whether paid or answered from the cache; see `priced_by`. It is kept as a
    budget of tokens is."""

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "seconds", "usd"):
            limit, is_whole = getattr(self, name), name in ("calls", "tokens")
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, Integral if is_whole else Real):
                raise InputError(f"a budget's {name} are a {'whole ' * is_whole}number, not {limit!r}.")
            if not float(limit) >= 0:
                raise InputError(f"a budget's {name} are 0 or more, not {limit!r}.")


class OverBudget(Exception):
    """The budget for a question's search has run out; `Program.attempt` catches it."""


@dataclass(slots=True, eq=False)
class Account:
    """A budget and what has been spent of it, for one question."""

    budget: Budget
    bill: Bill | None = None
    """The bill of the run that the question is part of."""
    cost: Cost = field(default_factory=Cost)
    over_budget: bool = False
    """True if the search was ended by the budget."""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """Time until the budget's end; `None` without a limit."""
        limit = self.budget.seconds
        return None if limit is None else self.started + limit - time.monotonic()

    def check_time(self) -> None:
        """Raise `OverBudget` if the time is over."""
        if self.seconds_left is not None and self.seconds_left <= 0:
            raise OverBudget(f"{self.budget.seconds} seconds")

    def begin(self, role: str, reserve: int | None = None) -> None:
        """Count a call that begins now; `OverBudget` where it and a reserve after it do not fit. None fits always."""
        if reserve is not None:
            self.check_time()
            if (limit := self._limit_reached(reserve)) is not None:
                raise OverBudget(limit)
        self.count(role)

    def count(self, role: str) -> None:
        """Count a call."""
        self.cost.calls += 1
        self.cost.calls_by_role[role] += 1

    def pay(self, role: str, model: str, tokens: Tokens) -> None:
        """Book what a call that was paid took, for the question and on the run's bill."""
        self.cost.add(role, model, tokens, paid=True)
        if self.bill is not None:
            self.bill.add(role, model, tokens)

    def _limit_reached(self, reserve: int) -> str | None:
        """The limit that leaves no room for one more call; None if there is room."""
        budget, cost = self.budget, self.cost
        most = MOST_CALLS if budget.calls is None else budget.calls
        if cost.calls + 1 + reserve > most:
            return f"{most} calls"
        if budget.tokens is not None and cost.total_tokens >= budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.usd is not None:
            usd = current_prices.get().usd(cost.tokens)
            if usd is None:
                check_priced(cost.tokens)
            elif usd >= budget.usd:
                return f"{budget.usd:g} dollars"
        return None
