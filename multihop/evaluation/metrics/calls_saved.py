"""The calls that a question did not take, of those that it might have taken: what optimizers weigh against quality."""

from typing import Any

from ...base import InputError
from .metric import Metric


class CallsSaved(Metric):
    """1 - calls / `most`: 1 where no LM was asked, 0 where `most` calls or more were made: "calls-saved@<most>".

    A program's own bound is its `most_calls()`, which `multihop programs NAME` shows. To compare programs, or for an
    optimizer that weighs calls against F1, take one number for all: the calls of the program that is to be replaced.
    Retries count, and calls from the cache count like others.

    Examples:
        >>> import dspy
        >>> from multihop.evaluation.metrics import CallsSaved
        >>> CallsSaved(12).measure(None, dspy.Prediction(answer="London", cost={"calls": 3}))
        0.75
    """

    needs = "the cost of a program of multihop"

    def __init__(self, most: int) -> None:
        """Measure against so many calls.

        Raises:
            InputError: It is not a whole number from 1 on.
        """
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise InputError(f"calls are saved of a whole number of calls from 1 on, not of {most!r}.")
        self.most, self.name = most, f"calls-saved@{most}"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None where the prediction does not say what it cost."""
        cost = getattr(prediction, "cost", None) or {}
        return max(0.0, 1 - cost["calls"] / self.most) if "calls" in cost else None

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The calls, by the steps that made them."""
        cost = prediction.cost
        steps = ", ".join(f"{count} of {role}" for role, count in cost.get("calls_by_role", {}).items())
        return f"{cost['calls']} of at most {self.most} calls were made{': ' + steps if steps else ''}."
