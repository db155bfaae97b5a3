"""Metrics, a run that survives anything, what it came to, and what a corpus is like before any run."""

from .comparison import Comparison, Difference, compare, compare_with_first
from .diagnosis import Diagnosis, diagnose
from .exports import write_flashrag, write_lm_eval, write_trec
from .metrics import default_metrics, metric_named
from .repeats import Repeats, evaluate_repeatedly
from .report import write_summary
from .runner import Evaluation, aevaluate, evaluate, open_run

__all__ = [
    "Comparison",
    "Diagnosis",
    "Difference",
    "Evaluation",
    "Repeats",
    "aevaluate",
    "compare",
    "compare_with_first",
    "default_metrics",
    "diagnose",
    "evaluate",
    "evaluate_repeatedly",
    "metric_named",
    "open_run",
    "write_flashrag",
    "write_lm_eval",
    "write_summary",
    "write_trec",
]
