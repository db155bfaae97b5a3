"""A limit on the LM calls of a whole compile."""

import threading
from typing import Any, Self


class Spent(BaseException):
    """The calls are used up; not an Exception, so that no optimizer takes it for a question that failed."""


class Spending:
    """A DSPy usage tracker that counts calls and raises `Spent` with the last one; answers from a cache are free.

    Examples:
        >>> from multihop.optimize.spending import Spending, Spent
        >>> spending = Spending(limit=2)
        >>> spending.add_usage("lm", {})
        >>> try:
        ...     spending.add_usage("lm", {})
        ... except Spent:
        ...     spending.calls
        2
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.calls = 0
        self._lock = threading.Lock()

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Count one call."""
        with self._lock:
            self.calls += 1
            over = self.limit is not None and self.calls >= self.limit
        if over:
            raise Spent

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
