"""A function as a metric: what DSPy's users have, in a run."""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

from ...base import InputError
from .metric import Metric


class FunctionMetric(Metric):
    """The number that a function gives an answered question; see `as_metric`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Named as the function is."""
        self.function = function
        self.name = getattr(function, "__name__", "") or type(function).__name__
        self._traced = _takes_trace(function)

    @property
    def identity(self) -> dict[str, Any]:
        """The function's name, and a hash of its text where that is known: changed, it is another metric."""
        where = f"{getattr(self.function, '__module__', None)}:{getattr(self.function, '__qualname__', self.name)}"
        try:
            text = hashlib.blake2b(inspect.getsource(self.function).encode(), digest_size=8).hexdigest()
        except (OSError, TypeError):
            text = None
        return {**super().identity, "function": where, "text": text}

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """The function's result as a number; None where it says that nothing can be measured."""
        value = self.function(gold, prediction, None) if self._traced else self.function(gold, prediction)
        value = getattr(value, "score", value)
        if value is None or isinstance(value, int | float):
            return None if value is None else float(value)
        raise InputError(f"the metric '{self.name}' returned {value!r:.60}; it must return a number, a bool or None.")


def _takes_trace(function: Callable[..., Any]) -> bool:
    """True if it has to be given a trace, as some of DSPy's metrics have to."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [
        each
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) > 2
