"""The budget of one question, and the account of what it has spent."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from ...base import InputError
from .prices import check_priced, current_prices
from .question_cost import Cost
from .tokens import Tokens, book, token_count
from .waves import OverBudget, PlannedCall, Waves

Limit = Annotated[int, Field(ge=0)] | None
ROOM = 256
"""Tokens that a question's first answer may take where its LM has no lower limit."""


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
    """Tokens in and out of those calls, as the LMs report them. A prompt is estimated before it is sent, so that a
    search ends in time; the last passages are not read where the rest has no room for them. What is passed is one
    call's answer at most, or the whole of the last call where its question and one passage alone have no room."""
    seconds: Annotated[float, Field(ge=0)] | None = None
    """Wall-clock time from the moment the question arrives."""
    usd: Annotated[float, Field(ge=0)] | None = None
    """The price of those calls in dollars, whether paid or answered from the cache; see `priced_by`. It is kept as a
    budget of tokens is."""

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
            if not float(limit) >= 0:
                raise InputError(f"a budget's {name} are 0 or more, not {limit!r}.")


@dataclass(slots=True, eq=False)
class Account:
    """A budget and what has been spent of it, for one question."""

    budget: Budget
    cost: Cost = field(default_factory=Cost)
    over_budget: bool = False
    """True if the search was ended by the budget."""
    started: float = field(default_factory=time.monotonic)
    waves: Waves = field(init=False)
    """The waves in which calls begin, where the budget counts what they take."""
    longest_prompt: int = 0
    longest_answer: int = 0
    longer: float | None = None
    """The largest ratio of a prompt's tokens to their estimate; None where none was told yet."""

    def __post_init__(self) -> None:
        self.waves = Waves(self.limit_reached, self.book)

    @property
    def seconds(self) -> float:
        """Wall-clock time since the question arrived."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """Time until the budget's end; `None` without a limit."""
        limit = self.budget.seconds
        return None if limit is None else limit - self.seconds

    @property
    def estimates(self) -> bool:
        """True if the budget counts tokens, so that those of a prompt have to be known before it is sent."""
        return self.budget.tokens is not None or self.budget.usd is not None

    @property
    def limits_calls(self) -> bool:
        """True if it depends on the calls before whether a call fits the budget, so that calls begin in waves."""
        return self.budget.calls is not None or self.estimates

    def check_time(self) -> None:
        """Raise `OverBudget` if the time is over."""
        if self.seconds_left is not None and self.seconds_left <= 0:
            raise OverBudget(f"{self.budget.seconds} seconds")

    async def begin(self, planned: PlannedCall) -> None:
        """Take note of a call that begins now, or wait until it may.

        Raises:
            OverBudget: It does not fit.
        """
        if planned.reserve is None:
            self.book(planned)
            return
        self.check_time()
        if self.limits_calls:
            await self.waves.turn(planned)
        else:
            self.book(planned)

    def book(self, planned: PlannedCall) -> None:
        """Count a call that begins."""
        self.cost.calls += 1
        self.cost.calls_by_role[planned.role] += 1

    def learn(self, planned: PlannedCall, tokens: Tokens) -> None:
        """Take note of what a call took, for those to come."""
        self.longest_prompt = max(self.longest_prompt, tokens.into)
        self.longest_answer = max(self.longest_answer, tokens.out)
        if planned.prompt:
            self.longer = max(self.longer or 0.0, tokens.into / planned.prompt)

    def limit_reached(self, planned: PlannedCall, beside: Sequence[PlannedCall] = ()) -> str | None:
        """The limit that a call would pass if it began now beside those others; None if it fits.

        Where it is the last one, its answer is not counted: by that much a budget may be passed.
        """
        budget, reserve = self.budget, planned.reserve or 0
        if budget.calls is not None and self.cost.calls + 1 + reserve > budget.calls:
            return f"{budget.calls} calls"
        if not self.estimates:
            return None
        prompt = self._prompt(planned)
        spent = {model: counts.copy() for model, counts in self.cost.tokens.items()}
        for other in beside:
            book(spent, other.model, Tokens(self._prompt(other), self._answer(other)))
        after = Tokens(reserve * max(prompt, self.longest_prompt), reserve * self._answer(planned))
        book(spent, planned.model, Tokens(prompt, 0))
        book(spent, planned.model, after)
        if budget.tokens is not None and token_count(spent) > budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.usd is not None:
            usd = current_prices.get().usd(spent)
            if usd is None:
                check_priced(spent)
            elif usd > budget.usd:
                return f"{budget.usd:g} dollars"
        return None

    def _prompt(self, planned: PlannedCall) -> int:
        return math.ceil(planned.prompt * (self.longer or 1.0))

    def _answer(self, planned: PlannedCall) -> int:
        """Room for an answer: twice the longest until now, unless the LM has a lower limit."""
        room = 2 * self.longest_answer or ROOM
        return room if planned.answer is None else min(room, planned.answer)
