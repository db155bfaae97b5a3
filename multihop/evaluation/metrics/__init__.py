"""One kind of metric a file; each works in a run and as a DSPy metric."""

from .answer import F1, ExactMatch
from .contained import Accuracy
from .gpu_use import GPUUse
from .judged import Judged
from .metric import Metric, Score, Unmeasured
from .named import as_metric, default_metrics, metric_named
from .passages import AllRecall, PassageCount, Recall
from .supporting import SupportingExactMatch, SupportingF1

__all__ = [
    "F1",
    "Accuracy",
    "AllRecall",
    "ExactMatch",
    "GPUUse",
    "Judged",
    "Metric",
    "PassageCount",
    "Recall",
    "Score",
    "SupportingExactMatch",
    "SupportingF1",
    "Unmeasured",
    "as_metric",
    "default_metrics",
    "metric_named",
]
