"""The budget of one question, and the account of what it has spent."""

import time
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from ..base import InputError
from .prices import check_priced, current_prices
from .question_cost import Cost

Limit = Annotated[int, Field(ge=0)] | None


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
    """LM calls, retries included, whether paid or answered from the cache."""
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
    cost: Cost = field(default_factory=Cost)
    over_budget: bool = False
    """True if the search was ended by the budget."""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Wall-clock time since the question arrived."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """Time until the budget's end; `None` without a limit."""
        limit = self.budget.seconds
        return None if limit is None else limit - self.seconds

    def check_time(self) -> None:
        """Raise `OverBudget` if the time is over."""
        if self.seconds_left is not None and self.seconds_left <= 0:
            raise OverBudget(f"{self.budget.seconds} seconds")

    def begin(self, role: str, reserve: int | None = None) -> None:
        """Count a call that begins now: calls that are made at once never exceed the budget together.

        Args:
            role: The step's name.
            reserve: Calls that must still be left after it; None for a call that is made in any case.

        Raises:
            OverBudget: There is nothing left of the budget for it.
        """
        if reserve is not None:
            self.check_time()
            if (limit := self._limit_reached(reserve)) is not None:
                raise OverBudget(limit)
        self.cost.calls += 1
        self.cost.calls_by_role[role] += 1

    def _limit_reached(self, reserve: int) -> str | None:
        """The limit that leaves no room for one more call; None if there is room."""
        budget, cost = self.budget, self.cost
        if budget.calls is not None and cost.calls + 1 + reserve > budget.calls:
            return f"{budget.calls} calls"
        if budget.tokens is not None and cost.total_tokens >= budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.usd is not None:
            usd = current_prices.get().usd(cost.tokens)
            if usd is None:
                check_priced(cost.tokens)
            elif usd >= budget.usd:
                return f"{budget.usd:g} dollars"
        return None
