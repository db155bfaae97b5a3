"""Metrics, a run that survives anything, and what it came to."""

from .comparison import Comparison, Difference, compare
from .metrics import default_metrics, metric_named
from .report import write_summary
from .runner import Evaluation, aevaluate, evaluate
from .trec import write_trec

__all__ = [
    "Comparison",
    "Difference",
    "Evaluation",
    "aevaluate",
    "compare",
    "default_metrics",
    "evaluate",
    "metric_named",
    "write_summary",
    "write_trec",
]
