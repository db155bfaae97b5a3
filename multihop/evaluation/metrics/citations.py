"""Precision and recall of the sentences that are cited for the answer, against the set's gold sentences.

Sentences are counted as `cited_sentences` finds them; by MuSiQue's rules, whose paragraphs are not split, paragraphs
are. A program that cites (`grounds=True`) and finds nothing to cite has a precision and a recall of 0, as in HotpotQA's
script. To programs that do not cite, and to questions without gold sentences, the metrics do not apply.
"""

from typing import Any, ClassVar

from ..cited_sentences import Fact, cited_facts
from .supporting import SupportingF1, list_facts


class CitePrecision(SupportingF1):
    """The share of the sentences cited for the answer that are gold.

    Examples:
        >>> import dspy
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.metrics import CitePrecision, CiteRecall
        >>> question = Question(
        ...     id="q", question="Etna is in?", answers=("Sicily",), supporting=("p1",), supporting_sents=(("p1", 1),)
        ... )
        >>> cited = [
        ...     {"claim": "Sicily", "verdict": "supported", "passage": "p1", "start": start, "end": end}
        ...     for start, end in ((0, 18), (19, 35))
        ... ]
        >>> etna = Passage("p1", "Etna", "Etna is a volcano. It is in Sicily.")
        >>> prediction = dspy.Prediction(answer="Sicily", passages=[etna], citations=cited)
        >>> CitePrecision().measure(question, prediction), CiteRecall().measure(question, prediction)
        (0.5, 1.0)
    """

    name = "cite-precision"
    needs: ClassVar[str] = "gold sentences, or without citations"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None where there are no gold sentences, or the program does not cite."""
        return None if (sides := self._sides(gold, prediction)) is None else self._share(*sides)

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The gold sentences that are not cited, and those that are cited and not gold."""
        cited, expected = self._sides(gold, prediction) or (set(), set())
        return (
            f"Gold and not cited: {list_facts(expected - cited)}; cited and not gold: {list_facts(cited - expected)}."
        )

    def _share(self, cited: set[Any], expected: set[Any]) -> float:
        return len(cited & expected) / len(cited) if cited else 0.0

    def _named(self, gold: Any, prediction: Any) -> list[Fact] | None:
        return cited_facts(gold, prediction)


class CiteRecall(CitePrecision):
    """The share of the gold sentences that are cited for the answer.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import CiteRecall
        >>> question = Question(id="q", question="Where is Etna?", answers=("Sicily",), supporting_sents=(("p1", 1),))
        >>> CiteRecall()(question, dspy.Prediction(answer="Sicily", citations=[])).feedback
        "Gold and not cited: ('p1', 1); cited and not gold: none."
    """

    name = "cite-recall"

    def _share(self, cited: set[Any], expected: set[Any]) -> float:
        return len(cited & expected) / len(expected)
