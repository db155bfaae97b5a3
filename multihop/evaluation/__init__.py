"""Metrics, a run that survives anything, and what it came to."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .comparison import Comparison as Comparison
    from .comparison import Difference as Difference
    from .comparison import compare as compare
    from .comparison import compare_with_first as compare_with_first
    from .exports import write_flashrag as write_flashrag
    from .exports import write_lm_eval as write_lm_eval
    from .exports import write_trec as write_trec
    from .metrics import default_metrics as default_metrics
    from .metrics import metric_named as metric_named
    from .repeats import Repeats as Repeats
    from .repeats import evaluate_repeatedly as evaluate_repeatedly
    from .report import write_summary as write_summary
    from .runner import Evaluation as Evaluation
    from .runner import aevaluate as aevaluate
    from .runner import evaluate as evaluate
    from .runner import open_run as open_run
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "comparison": "Comparison Difference compare compare_with_first",
            "exports": "write_flashrag write_lm_eval write_trec",
            "metrics": "default_metrics metric_named",
            "repeats": "Repeats evaluate_repeatedly",
            "report": "write_summary",
            "runner": "Evaluation aevaluate evaluate open_run",
        },
    )
