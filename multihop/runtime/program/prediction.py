"""A program's prediction, which prints short, and the decisions of steps behind it."""

import reprlib
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict, cast

import dspy

from ...base.notebooks import ShownInNotebooks, search_class
from ...base.plurals import say_count
from ...retrieval import Passage
from ..cost.prices import show_usd
from ..cost.question_cost import CostRecord
from ..cost.tokens import token_count
from ..grounds.citation import Citation

TITLES = 8
"""The most passages that are named when a prediction is printed."""
_ORDER = (
    *("answer", "confidence", "reason", "best_guess", "full_question", "passages", "citations", "evidence", "cost"),
    *("over_budget", "trajectory"),
)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120


class ProgramPrediction(ShownInNotebooks, dspy.Prediction):
    """A `dspy.Prediction` whose whole record stays in its fields, while printing it shows what matters.

    Examples:
        >>> from multihop.runtime.program.prediction import ProgramPrediction
        >>> from multihop.retrieval import Passage
        >>> ProgramPrediction(
        ...     passages=[Passage("p1", "Po", "The Po is the longest river of Italy.")],
        ...     trajectory=[{"step": "find"}, {"step": "answer"}],
        ...     cost={"calls": 1, "retrievals": 1, "tokens": {"lm": {"in": 40, "out": 2}}, "seconds": 0.5},
        ...     over_budget=False,
        ...     confidence=0.83,
        ...     calibrated=True,
        ...     citations=[
        ...         {
        ...             "claim": "the Po",
        ...             "verdict": "supported",
        ...             "title": "Po",
        ...             "sentence": "The Po is the longest river of Italy.",
        ...         }
        ...     ],
        ...     answer="the Po",
        ... )
        Prediction(
            answer='the Po',
            83 % sure
            passages: Po
            cited: “The Po is the longest river of Italy.” (Po)
            cost: 1 LM call · 1 retrieval · 42 tokens · 0.50 s
            trajectory of 2 steps
        )
    """

    def __repr__(self) -> str:
        """The answer, the titles of the passages, the cost, and how many steps there were."""
        lines = [f"    {line}" for line in map(self._line, sorted(self.keys(), key=_place)) if line]
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
        if name == "confidence" and isinstance(value, float):
            return confidence_in_words(value, self.get("calibrated"))
        if name in ("calibrated", "signals", "abstained"):
            return ""
        if name == "citations" and isinstance(value, list):
            return f"cited: {_cited(value) or 'no sentence bears the answer'}" if value else ""
        if name == "reason":
            return f"reason: {value}"
        if name == "over_budget":
            return "over budget: the answer rests on what was found until then" if value else ""
        return f"{name}={value!r}," if name == "answer" else f"{name}={_SHORT.repr(value)},"


def confidence_in_words(confidence: float, calibrated: object) -> str:
    """A confidence as it is shown everywhere, with a word where it was never calibrated.

    Examples:
        >>> from multihop.runtime.program.prediction import confidence_in_words
        >>> confidence_in_words(0.834, True), confidence_in_words(0.834, False)
        ('83 % sure', '83 % sure, not calibrated')
    """
    return f"{100 * confidence:.0f} % sure{'' if calibrated else ', not calibrated'}"


def cost_line(cost: CostRecord) -> str:
    """The cost of answering one question, in one line.

    Examples:
        >>> from multihop.runtime import cost_line
        >>> cost_line({"calls": 2, "retrievals": 1, "tokens": {"lm": {"in": 1200, "out": 4}}, "seconds": 0.25})
        '2 LM calls · 1 retrieval · 1,204 tokens · 0.25 s'
    """
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


class DecisionRecord(TypedDict):
    """A step's inputs and outputs, as a row keeps them."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    """The step's inputs, field by field."""
    outputs: dict[str, Any]
    """The step's answer, field by field."""


class Decision(NamedTuple):
    """A step's inputs and its answer, from which cloning and step-level compilation learn."""

    step: str
    """The step's name in its program."""
    inputs: dict[str, Any]
    outputs: dict[str, Any]

    @property
    def record(self) -> DecisionRecord:
        """The same as plain values."""
        return {"step": self.step, "inputs": self.inputs, "outputs": self.outputs}


def _titles(passages: Sequence[Any]) -> str:
    names = [each.title or each.id if isinstance(each, Passage) else _SHORT.repr(each) for each in passages]
    more = [f"and {len(names) - TITLES} more"] if len(names) > TITLES else []
    return ", ".join([*names[:TITLES], *more])


def _cited(citations: Sequence[Citation]) -> str:
    """The sentences that bear the first claim, the answer, each with the title of its passage; others are counted."""
    bearing = [each for each in citations if each["verdict"] == "supported"]
    first = [each for each in bearing if each["claim"] == citations[0]["claim"]]
    others = {each["sentence"] for each in bearing} - {each["sentence"] for each in first}
    shown = [f"“{each['sentence']}” ({each['title'] or each['passage']})" for each in first]
    more = [f"and {say_count(len(others), 'sentence')} on the way"] if shown and others else []
    return f"\n{' ' * 11}".join([*shown, *more])


def _place(name: str) -> int:
    """Answer first, what belongs to every program next, then whatever else the program says."""
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)
