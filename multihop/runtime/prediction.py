"""A program's prediction, which prints short, and the decisions of steps behind it."""

import reprlib
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import dspy

from ..base.imports import ShownInNotebooks, search_class
from ..base.texts import say_count
from ..retrieval import Passage
from .cost import CostRecord
from .tokens import show_usd, token_count

TITLES = 8
"""The most passages that are named when a prediction is printed."""
_ORDER = ("answer", "full_question", "passages", "evidence", "cost", "over_budget", "trajectory")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120


class ProgramPrediction(ShownInNotebooks, dspy.Prediction):
    """A `dspy.Prediction` whose whole record stays in its fields, while printing it shows what matters."""

    def __repr__(self) -> str:
        """The answer, the titles of the passages, the cost, and how many steps there were."""
        names = [*(name for name in _ORDER if name in self), *(name for name in self.keys() if name not in _ORDER)]
        lines = [f"    {line}" for line in map(self._line, names) if line]
        return "\n".join(["Prediction(", *lines, ")"])

    @property
    def search(self) -> Any:
        """The search for the answer: a `multihop.view.drawn_search.DrawnSearch`, drawn where it is shown."""
        return search_class()(self.get("trajectory") or [])

    def _line(self, name: str) -> str:
        value = self[name]
        if name == "passages" and isinstance(value, list):
            return f"passages: {_titles(value) or 'none'}"
        if name == "evidence" and isinstance(value, list):
            return f"evidence of {say_count(len(value), 'piece')}" if value else ""
        if name == "trajectory" and isinstance(value, list):
            return f"trajectory of {say_count(len(value), 'step')}"
        if name == "cost" and isinstance(value, dict):
            return f"cost: {cost_line(cast(CostRecord, value))}"
        if name == "over_budget":
            return "over budget: the answer rests on what was found until then" if value else ""
        return f"{name}={value!r}," if name == "answer" else f"{name}={_SHORT.repr(value)},"


def cost_line(cost: CostRecord) -> str:
    """The cost of answering one question, in one line."""
    about = "about " if cost.get("estimated") else ""
    parts = [say_count(cost.get("calls", 0), "LM call"), say_count(cost.get("retrievals", 0), "retrieval")]
    parts.append(f"{about}{token_count(cost.get('tokens', {})):,} tokens")
    if (usd := cost.get("usd", 0)) != 0:
        parts.append(about + show_usd(usd))
    if cost.get("cached"):
        paid = token_count(cost.get("paid_tokens", {}))
        dollars = f" ({show_usd(cost.get('paid_usd'))})" if usd else ""
        parts.append(f"{say_count(cost['cached'], 'call')} from the cache, {paid:,} tokens paid{dollars}")
    if cost.get("parse_failures"):
        parts.append(say_count(cost["parse_failures"], "unparseable completion"))
    return " · ".join([*parts, f"{cost.get('seconds', 0.0):.2f} s"])


class Decision(NamedTuple):
    """A step's inputs and its answer, from which a clone learns."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    outputs: dict[str, Any]


def _titles(passages: Sequence[Any]) -> str:
    names = [each.title or each.id if isinstance(each, Passage) else _SHORT.repr(each) for each in passages]
    more = [f"and {len(names) - TITLES} more"] if len(names) > TITLES else []
    return ", ".join([*names[:TITLES], *more])
