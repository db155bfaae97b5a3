"""How much one question may spend, and what it has spent."""

import time
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import ConfigDict, Field

from ..base import InputError
from .cost import Cost
from .prices import check_priced, current_prices

if TYPE_CHECKING:
    from .program import Program

Limit = Annotated[int, Field(ge=0)] | None


class OverBudget(Exception):
    """The budget for a question's search has run out; `Program.attempt` catches it."""


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
    """Tokens in and out of those calls, as the LMs report them."""
    seconds: Annotated[float, Field(ge=0)] | None = None
    """Wall-clock time from the moment the question arrives."""
    usd: Annotated[float, Field(ge=0)] | None = None
    """What those calls cost in dollars, whether paid or answered from the cache; see `priced_by`."""

    def __post_init__(self) -> None:
        for name, kind, noun in (
            ("calls", Integral, "a whole number"),
            ("tokens", Integral, "a whole number"),
            ("seconds", Real, "a number"),
            ("usd", Real, "a number"),
        ):
            limit = getattr(self, name)
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, kind):
                raise InputError(f"a budget's {name} are {noun}, not {limit!r}.")
            if not limit >= 0:
                raise InputError(f"a budget's {name} are 0 or more, not {limit!r}.")


@dataclass(slots=True)
class Account:
    """A budget and what has been spent of it, for one question."""

    budget: Budget
    cost: Cost = field(default_factory=Cost)
    over_budget: bool = False
    """Whether the search was ended by the budget."""
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

    def check(self, reserve: int) -> None:
        """Raise `OverBudget` unless one more call fits with `reserve` calls left over."""
        calls, tokens = self.budget.calls, self.budget.tokens
        if calls is not None and self.cost.calls + 1 + reserve > calls:
            raise OverBudget(f"{calls} calls")
        if tokens is not None and self.cost.total_tokens >= tokens:
            raise OverBudget(f"{tokens} tokens")
        if self.budget.usd is not None:
            self._check_usd(self.budget.usd)
        self.check_time()

    def _check_usd(self, limit: float) -> None:
        spent = current_prices.get().usd(self.cost.tokens)
        if spent is None:
            check_priced(self.cost.tokens)
        elif spent >= limit:
            raise OverBudget(f"{limit:g} dollars")


def check_budget(program: "Program") -> None:
    """Refuse a budget in dollars where the price of one of the program's LMs is not known.

    Raises:
        InputError: There is such an LM.
    """
    if program.budget is not None and program.budget.usd is not None:
        lms = [program.lm_of(name) for name, _ in program.named_predictors()]
        check_priced(lm.model for lm in lms if lm is not None)
