"""Metrics by name, functions as metrics, and the ones that every run measures."""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from ...base import InputError
from ...base.imports import Kind, find_by_name
from .answer import F1, Accuracy, ExactMatch, check_rules
from .metric import Metric
from .passages import (
    NDCG,
    AllRecall,
    AveragePrecision,
    PassageCount,
    PlaceMetric,
    Recall,
    ReciprocalRank,
    Success,
)

_PLAIN: dict[str, Callable[[], Metric]] = {
    "em": ExactMatch,
    "acc": Accuracy,
    "K": PassageCount,
}
_BY_PLACE: dict[str, type[PlaceMetric]] = {
    metric.kind: metric for metric in (Recall, AllRecall, NDCG, ReciprocalRank, AveragePrecision, Success)
}
KIND = Kind("metric", "multihop.metrics", "MODULE:METRIC")
DEFAULT = ("em", "f1", "recall@2", "recall@5", "recall@15", "all-recall@5", "recall@K", "K")
MAIN = ("em", "f1", "recall@5")
"""The metrics that lines and tables show first."""
BY_GROUP = (*MAIN, "all-recall@5")
"""The metrics that groups of questions show."""


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
        inspect.signature(function).bind("gold", "prediction")
    except TypeError:
        return True
    except ValueError:  # of a function in C, nothing is known
        pass
    return False


def metric_named(name: str, *, rules: str = "hotpotqa") -> Metric:
    """The metric: of this library, of an installed package, or your own as MODULE:METRIC (see `as_metric`).

    `Judged` has no name here, since it needs an LM: on the command line it is `--judge-lm`.

    Examples:
        >>> from multihop.evaluation.metrics import metric_named
        >>> metric_named("recall@5").k
        5

    Raises:
        InputError: There is no such metric, or no such rules.
    """
    check_rules(rules)
    if name == "f1":
        return F1(rules)
    if name in _PLAIN:
        return _PLAIN[name]()
    kind, _, k = name.partition("@")
    if kind in _BY_PLACE and re.fullmatch(r"K|[1-9][0-9]*", k):
        return _BY_PLACE[kind](None if k == "K" else int(k))
    metric = find_by_name(KIND, name, {}, hints=("f1", *_PLAIN, *(f"{kind}@<k>" for kind in _BY_PLACE)))
    if isinstance(metric, str):
        raise InputError(f"'{name}' is a text, not a metric.")
    return as_metric(metric)


def goes_by_place(name: str) -> bool:
    """True of the name of a metric of gold passages, such as recall@5 and ndcg@10."""
    kind, at, _ = name.partition("@")
    return bool(at) and kind in _BY_PLACE


def as_metric(anything: Any) -> Metric:
    """A metric as it is, by name, or made of what measures in another way.

    A class made from `Metric` is called without arguments. A function is a metric as DSPy has them: it takes the
    question with its gold and the prediction, also a trace, and returns a number, a bool, or a `Score`.

    Raises:
        InputError: It measures nothing.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import as_metric
        >>> def brief(example, prediction, trace=None):
        ...     return len(prediction.answer.split()) <= 3
        >>> metric = as_metric(brief)
        >>> question = Question(id="q", question="Who?", answers=("Ada",))
        >>> metric.name, metric.measure(question, dspy.Prediction(answer="Ada"))
        ('brief', 1.0)
    """
    if isinstance(anything, str):
        return metric_named(anything)
    if isinstance(anything, type) and issubclass(anything, Metric):
        try:
            return anything()
        except TypeError as error:
            raise InputError(f"the metric {anything.__name__} cannot be made without arguments: {error}.") from None
    if isinstance(anything, Metric):
        return anything
    if isinstance(anything, type) or not callable(anything):
        raise InputError(
            f"a metric is a name, a Metric, or a function of a question and a prediction, not {anything!r:.60}."
        )
    return FunctionMetric(anything)


def metrics_of(values: Iterable[Any]) -> list[Metric]:
    """All the metrics, each once; no two may have the same name, under which their numbers are kept."""
    metrics: dict[str, Metric] = {}
    for each in values:
        metric = as_metric(each)
        other = metrics.setdefault(metric.name, metric)
        if (type(other), other.identity) != (type(metric), metric.identity):
            raise InputError(f"two metrics are called '{metric.name}'; give yours another `name`.")
    return list(metrics.values())


def default_metrics(rules: str = "hotpotqa") -> list[Metric]:
    """The metrics of every run; `rules` names the set whose official rules score the answers.

    Examples:
        >>> from multihop.evaluation.metrics import default_metrics
        >>> [metric.name for metric in default_metrics()][:4]
        ['em', 'f1', 'recall@2', 'recall@5']
    """
    return [metric_named(name, rules=rules) for name in DEFAULT]
