"""The money that runs may pay together, and what of it is gone."""

import math
import threading

from ...base import InputError
from .prices import check_priced, current_prices
from .tokens import TokenCounts, Tokens, book


class RunBudget:
    """A budget of dollars for runs: calls answered from the cache cost nothing here.

    Examples:
        >>> from multihop.runtime import RunBudget, Tokens, priced_by
        >>> with priced_by({"openai/m": {"input": 1, "output": 2}}):
        ...     budget = RunBudget(0.5)
        ...     budget.pay("openai/m", Tokens(400_000, 50_000))
        ...     budget.paid, budget.is_empty
        (0.5, True)
    """

    def __init__(self, usd: float | None = None) -> None:
        """Nothing is paid yet; without dollars there is no limit.

        Raises:
            InputError: It is no number of dollars.
        """
        if usd is not None and not 0 < usd < math.inf:
            raise InputError(f"a run's budget is a number of dollars above 0, not {usd!r}.")
        self.usd = usd
        self._tokens: dict[str, TokenCounts] = {}
        self._lock = threading.Lock()

    def pay(self, model: str, tokens: Tokens) -> None:
        """Book a call that was paid."""
        if self.usd is not None:
            with self._lock:
                book(self._tokens, model, tokens)

    @property
    def paid(self) -> float:
        """Dollars paid until now.

        Raises:
            InputError: The price of a model that was paid is not known.
        """
        with self._lock:
            paid = current_prices.get().usd(self._tokens)
        if paid is None:
            check_priced(self._tokens)
        return paid or 0.0

    @property
    def is_empty(self) -> bool:
        """True if nothing is left."""
        return self.usd is not None and self.paid >= self.usd
