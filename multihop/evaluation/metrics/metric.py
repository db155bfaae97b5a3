"""The base of metrics: a name, a version, a number for one answered question; each is a DSPy metric."""

from typing import Any, ClassVar

import dspy

from ...base import InputError
from ...base.imports import kebab_case


class Unmeasured(Exception):
    """A metric applies to an answer and has no number for it: a verdict cannot be read, a value is no number."""


class Score(dspy.Prediction):
    """A score with its explanation, in the one form that all of DSPy understands.

    `Evaluate` adds it up as a number, GEPA reads `score` and `feedback`, SIMBA shows `feedback` to its LM, and where an
    optimizer asks yes or no (BootstrapFewShot, BootstrapFinetune), it is true only if the score reaches what the metric
    accepts. A plain `dspy.Prediction` is always true, so that every wrong answer would become a demonstration.

    Examples:
        >>> from multihop.evaluation.metrics import Score
        >>> half = Score(score=0.5, feedback="half of it is there")
        >>> sum([half, half]), bool(half), half.feedback
        (1.0, False, 'half of it is there')
    """

    def __init__(self, *args: Any, accept: float = 1.0, **fields: Any) -> None:
        """Take `score` and `feedback`; from `accept` on, the score counts as right."""
        super().__init__(*args, **fields)
        self._accept = accept

    def __bool__(self) -> bool:
        return bool(self.score >= self._accept)


class Metric:
    """One number for one answered question; subclasses say how to measure and how to explain.

    An instance is a DSPy metric: pass it to `dspy.Evaluate` or any optimizer as it is.
    """

    name: str
    """The metric's name in a report: "em", "recall@5"; a class that gives none is named after itself."""
    version: ClassVar[int] = 1
    """Goes up when the same answer would get another number."""
    accept: ClassVar[float] = 1.0
    """The score from which an answer counts as right, where an optimizer wants a yes or a no."""
    needs: ClassVar[str] = "accepted answers"
    """The thing that a question without a number lacks."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not hasattr(cls, "name"):
            cls.name = kebab_case(cls.__name__)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the number: the version, and whose rules apply where there is a choice."""
        return {"version": self.version}

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """The number, or None where the metric does not apply; that is never a 0.

        What it raises leaves the answer unmeasured: a run says so, and measures it again when it is continued.

        Args:
            gold: A `Question`, or the `dspy.Example` made of one.
            prediction: The program's prediction.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to measure.")

    async def ameasure(self, gold: Any, prediction: Any) -> float | None:
        """`measure` for asynchronous callers; only a metric that asks an LM has anything to wait for."""
        return self.measure(gold, prediction)

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The result and the reasons for it, in words, for optimizers that read."""
        return f"{self.name} is {score:.2f}."

    def __call__(
        self, gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Score:
        """The score and its explanation, as DSPy's `Evaluate` and optimizers call it.

        Raises:
            InputError: The metric does not apply to this question or this prediction.
        """
        score = self.measure(gold, pred)
        if score is None:
            raise InputError(f"{self.name} cannot be measured on question '{gold.id}' without {self.needs}.")
        return Score(score=score, feedback=self.explain(gold, pred, score), accept=self.accept)
