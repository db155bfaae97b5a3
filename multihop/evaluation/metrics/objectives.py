"""Several metrics as one: their weighted mean, which each of them stays part of by its name."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...base import InputError
from .metric import Metric, Score


class Objectives(Metric):
    """The weighted mean of several metrics, for optimizers; those that look at objectives one by one can.

    DSPy's GEPA gates candidates by the mean, and chooses parents among those that are best at a question or at an
    objective. An answer counts as right where the first metric says so, and the feedback is that of all.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import F1, CallsSaved, Objectives
        >>> metric = Objectives([F1(), CallsSaved(12)], weights=[3, 1])
        >>> question = Question(id="q", question="Who?", answers=("Ada",))
        >>> score = metric(question, dspy.Prediction(answer="Ada", cost={"calls": 6}))
        >>> score.score, score.objective_scores, bool(score)
        (0.875, {'f1': 1.0, 'calls-saved@12': 0.5}, True)
    """

    name = "objectives"
    needs = "any of its objectives"

    def __init__(self, metrics: Sequence[Metric], weights: Sequence[float] | None = None) -> None:
        """Weigh these metrics, equally unless told otherwise.

        Raises:
            InputError: There is none, two have one name, or the weights are not as many positive numbers.
        """
        self.metrics, self.weights = tuple(metrics), tuple(weights or [1.0] * len(metrics))
        names = [metric.name for metric in self.metrics]
        if not names or len(set(names)) < len(names):
            raise InputError(f"objectives are different metrics, one or more, not {', '.join(names) or 'none'}.")
        if len(self.weights) != len(names) or not all(0 < weight < math.inf for weight in self.weights):
            raise InputError(f"each objective has a weight above 0; {len(names)} do not have {self.weights}.")

    @property
    def identity(self) -> dict[str, Any]:
        """The objectives, each with its weight."""
        return {
            **super().identity,
            "of": {each.name: {**each.identity, "weight": weight} for each, weight in self._weighed()},
        }

    def combine(self, scores: Mapping[str, float]) -> float | None:
        """The weighted mean of the scores by the metrics' names, over those that are there; None without any."""
        weighed = [(scores[each.name], weight) for each, weight in self._weighed() if each.name in scores]
        whole = sum(weight for _, weight in weighed)
        return sum(score * weight for score, weight in weighed) / whole if weighed else None

    def scores(self, gold: Any, prediction: Any) -> dict[str, float]:
        """Each metric's number by its name, of those that apply."""
        measured = ((metric.name, metric.measure(gold, prediction)) for metric in self.metrics)
        return {name: score for name, score in measured if score is not None}

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """The weighted mean over the metrics that apply."""
        return self.combine(self.scores(gold, prediction))

    def __call__(
        self, gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Score:
        """The mean as the score, `objective_scores` beside it, and the explanations of all.

        Raises:
            InputError: The first metric does not apply to this question or this prediction.
        """
        first = self.metrics[0](gold, pred)
        scores = self.scores(gold, pred)
        told = [each.explain(gold, pred, scores[each.name]) for each in self.metrics if each.name in scores]
        mean = self.combine(scores)
        return Score(
            score=mean, feedback=" ".join(told), objective_scores=scores, accept=-math.inf if first else math.inf
        )

    def _weighed(self) -> Iterable[tuple[Metric, float]]:
        return zip(self.metrics, self.weights, strict=True)
