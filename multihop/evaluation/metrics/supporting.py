"""Exact match and F1 of the supporting facts, by the official rules of each set.

Sources: `update_sp` in hotpot_evaluate_v1.py and in 2wikimultihop_evaluate_v1.1.py, metrics/support.py (MuSiQue). What
counts as a fact differs:

- HotpotQA: a (paragraph, sentence) pair.
- 2WikiMultiHopQA: the same, with titles in lower case.
- MuSiQue: a paragraph, since it does not split paragraphs into sentences.

A program that names its supporting sentences returns them as `supporting_sents`, pairs of paragraph id and sentence
index; by MuSiQue's rules the index is not looked at. To other programs, and to questions without gold facts, the metric
does not apply.
"""

from collections.abc import Iterable, Set
from typing import Any

from .metric import MetricByRules


def set_f1(predicted: Set[Any], expected: Set[Any]) -> float:
    """2 tp / (2 tp + fp + fn); 1.0 where both are empty."""
    if not predicted and not expected:
        return 1.0
    return 2 * len(predicted & expected) / (len(predicted) + len(expected))


class SupportingF1(MetricByRules):
    """F1 over the supporting facts.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import SupportingF1
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting_sents=(("Ada", 0), ("Bob", 2)))
        >>> SupportingF1()(question, dspy.Prediction(supporting_sents=[("Ada", 0), ("Cid", 1)])).feedback
        "Missing supporting facts: ('Bob', 2); named but not supporting: ('Cid', 1)."
    """

    name = "sup-f1"
    needs = "supporting facts, the gold ones and the prediction's"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None where either side names no facts."""
        sides = self._sides(gold, prediction)
        return None if sides is None else set_f1(*sides)

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The facts that are missing and those that are too many."""
        predicted, expected = self._sides(gold, prediction) or (set(), set())
        return (
            f"Missing supporting facts: {_in_words(expected - predicted)}; "
            f"named but not supporting: {_in_words(predicted - expected)}."
        )

    def _sides(self, gold: Any, prediction: Any) -> tuple[set[Any], set[Any]] | None:
        predicted: Iterable[tuple[str, int]] | None = getattr(prediction, "supporting_sents", None)
        if self.rules == "musique":
            expected = [(identifier, 0) for identifier in gold.supporting]
        else:
            expected = gold.supporting_sents
        return None if predicted is None or not expected else (self._facts(predicted), self._facts(expected))

    def _facts(self, pairs: Iterable[tuple[str, int]]) -> set[Any]:
        match self.rules:
            case "musique":
                return {identifier for identifier, _ in pairs}
            case "2wikimultihopqa":
                return {(identifier.lower(), index) for identifier, index in pairs}
            case _:
                return {(identifier, index) for identifier, index in pairs}


class SupportingExactMatch(SupportingF1):
    """1.0 if exactly the supporting facts are named, else 0.0.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import SupportingExactMatch
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting_sents=(("Ada", 0),))
        >>> SupportingExactMatch().measure(question, dspy.Prediction(supporting_sents=[("Ada", 0)]))
        1.0
    """

    name = "sup-em"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """1.0 or 0.0; None where either side names no facts."""
        sides = self._sides(gold, prediction)
        return None if sides is None else float(sides[0] == sides[1])


def _in_words(facts: set[Any]) -> str:
    """The facts in words."""
    return ", ".join(map(str, sorted(facts))) or "none"
