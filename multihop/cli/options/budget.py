"""The options that bound what answering a question may take."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import Parameter

from .amounts import BudgetCount, BudgetDollars, BudgetSeconds

if TYPE_CHECKING:
    from ...runtime import Budget


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """The most that a question may take, and the prices that its cost is counted by."""

    budget_calls: BudgetCount = None
    """LM calls a question at most."""
    budget_tokens: BudgetCount = None
    """Tokens a question at most."""
    budget_seconds: BudgetSeconds = None
    """Seconds of search a question at most; it then answers with what it has."""
    prices: Path | None = None
    """A JSON file with prices of your own, as {"MODEL": {"input": DOLLARS, "output": DOLLARS}} for a million tokens;
    others are those that come with DSPy."""

    def budget(self) -> "Budget":
        """The budget of a question."""
        from ...runtime import Budget

        return Budget(calls=self.budget_calls, tokens=self.budget_tokens, seconds=self.budget_seconds)


@dataclass(frozen=True, kw_only=True)
class DollarBudgetOptions(BudgetOptions):
    """The same, and what a question may cost."""

    budget_usd: BudgetDollars = None
    """Dollars a question at most, by the prices that come with DSPy or --prices."""

    def budget(self) -> "Budget":
        """The budget of a question, in dollars too."""
        return replace(super().budget(), usd=self.budget_usd)
