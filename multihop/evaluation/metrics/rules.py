"""The question sets whose official evaluation scripts can be followed."""

from typing import Any, Literal, get_args

from ...base import unknown
from .metric import Metric

Rules = Literal["hotpotqa", "2wikimultihopqa", "musique"]


def check_rules(rules: str) -> str:
    """The name of the set whose rules apply.

    Raises:
        InputError: There is no such set.
    """
    if rules not in get_args(Rules):
        raise unknown("set of answer rules", rules, get_args(Rules))
    return rules


class MetricByRules(Metric):
    """A metric that each set's official script computes in its own way."""

    def __init__(self, rules: str = "hotpotqa") -> None:
        """By the rules of "hotpotqa", "2wikimultihopqa" or "musique"."""
        self.rules = check_rules(rules)

    @property
    def identity(self) -> dict[str, Any]:
        """The version, and whose rules apply."""
        return {**super().identity, "rules": self.rules}
