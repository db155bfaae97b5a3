"""All numbers of one answered question: a metric that fails takes neither the answer nor another metric with it."""

import asyncio
import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from ..metrics import Metric, Unmeasured
from .failure import Failure, failure_of


async def measure_all(
    metrics: Iterable[Metric], question: Any, prediction: Any, *, timeout: float | None = None
) -> tuple[dict[str, float | None], dict[str, Failure]]:
    """Each metric's number by its name, None where it does not apply or failed; and why, for those that failed.

    Args:
        metrics: The metrics to measure.
        question: The question, with its gold.
        prediction: The prediction that answered it.
        timeout: Seconds after which a metric counts as failed.
    """
    numbers: dict[str, float | None] = {}
    failed: dict[str, Failure] = {}
    for metric in metrics:
        numbers[metric.name] = None
        try:
            async with asyncio.timeout(timeout):
                numbers[metric.name] = _checked(metric, await metric.ameasure(question, prediction))
        except Exception as error:
            failed[metric.name] = failure_of(error)
    return numbers, failed


def _checked(metric: Metric, value: Any) -> float | None:
    """The number, if it is one that can be added up."""
    if value is None:
        return None
    if not isinstance(value, Real) or not math.isfinite(value):
        raise Unmeasured(f"{metric.name} gave {value!r:.60}, which is no number.")
    return float(value)
