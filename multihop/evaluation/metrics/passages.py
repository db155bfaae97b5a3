"""Recall of the gold paragraphs among the passages a program returned, best first.

Recall here is of gold paragraphs, as in HippoRAG's and EfficientRAG's tables, and never of the answer string. They are
recognised by id, text or title (see `matching`). A passage that is returned twice counts once. Questions without known
gold paragraphs, and programs that do not retrieve, have no recall; that is not a 0.

K is what a program takes to get there: all distinct passages that it retrieved, over all its turns, or, where it keeps
a pool of those that it found helpful, the pool (see `count_passages`).
"""

from typing import Any, ClassVar

from ..matching import count_passages, match_gold
from .metric import Metric


class Recall(Metric):
    """|gold among the first k| / |gold|; without k, among the first K ("recall@K", to be read with "K").

    Examples:
        >>> import dspy
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.metrics import Recall
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting=("p1", "p9"))
        >>> came = dspy.Prediction(passages=[Passage("p1", "Ada", "..."), Passage("p2", "Bob", "...")])
        >>> Recall(5).measure(question, came)
        0.5
        >>> Recall(5)(question, came).feedback
        'Missing 1 of 2 gold passages: p9.'
    """

    kind: ClassVar[str] = "recall"
    version: ClassVar[int] = 2
    needs = "gold passages, or without passages that came"

    def __init__(self, k: int | None = None) -> None:
        """Among the first `k` passages; by default among all that came, or the pool where the program keeps one."""
        self.k = k
        self.name = f"{self.kind}@{'K' if k is None else k}"

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the number; recall@K is one version ahead, since it once was of all that came."""
        return {"version": self.version + (self.k is None)}

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None where no gold paragraphs are known, or the program does not retrieve."""
        return match_gold(gold, prediction).recall(self._among(prediction))

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The gold passages that are missing."""
        return explain_missing(gold, prediction, self._among(prediction)) or "All gold passages were found."

    def _among(self, prediction: Any) -> int:
        return count_passages(prediction) if self.k is None else self.k


class AllRecall(Recall):
    """1.0 if every gold paragraph is among the first k, else 0.0.

    Examples:
        >>> import dspy
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.metrics import AllRecall
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting=("p1", "p9"))
        >>> AllRecall(5).measure(question, dspy.Prediction(passages=[Passage("p1", "Ada", "...")]))
        0.0
    """

    kind = "all-recall"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """1.0 or 0.0; None where there is no recall."""
        share = super().measure(gold, prediction)
        return None if share is None else float(share == 1.0)


class PassageCount(Metric):
    """The number of distinct passages that came, or that a program's pool holds where it keeps one: the K of recall@K.

    Examples:
        >>> import dspy
        >>> from multihop import Passage
        >>> from multihop.evaluation.metrics import PassageCount
        >>> PassageCount().measure(None, dspy.Prediction(passages=[Passage("p1", "Ada", "...")] * 2))
        1.0
    """

    name = "K"
    version: ClassVar[int] = 2

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A whole number."""
        return float(count_passages(prediction))

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The same in words."""
        return f"{score:.0f} passages came."


def explain_missing(gold: Any, prediction: Any, k: int | None = None) -> str:
    """The gold passages not among the first k, by title where the question knows it; empty if none is missing."""
    match = match_gold(gold, prediction)
    gold_ids = dict.fromkeys(gold.supporting) if match.applies else {}
    missing = [name for name in gold_ids if name not in match.ranks or (k is not None and match.ranks[name] >= k)]
    titles = {passage.id: passage.title for passage in getattr(gold, "passages", None) or ()}
    names = [titles.get(identifier) or identifier for identifier in missing]
    return f"Missing {len(missing)} of {len(gold_ids)} gold passages: {', '.join(names)}." if missing else ""
