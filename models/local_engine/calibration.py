"""Decisions moved by demonstrations: what the prompt shows to be right shifts the odds of the next case."""

import math
from collections.abc import Sequence

from .page import LocalPage
from .roles import DecisionRole

PRIOR = 2.0
"""The standard deviation of shifts expected before any demonstration, in log odds."""


async def shift_odds(odds: float, name: str, role: DecisionRole, page: LocalPage) -> float:
    """The odds, shifted so that the decisions in the prompt's demonstrations come out best.

    Args:
        odds: Log odds without demonstrations.
        name: The output field.
        role: How its odds are found.
        page: The prompt.
    """
    examples = []
    for demonstration in page.prompt.demonstrations:
        right = role.probability_of(demonstration.outputs[name]) if name in demonstration.outputs else None
        if right is not None:
            examples.append((await role.fill(page.demonstration_page(demonstration.inputs)), right))
    return odds + shift(examples)


def shift(examples: Sequence[tuple[float, float]]) -> float:
    """The likeliest shift of all odds, given odds and what was right; 0 where nothing was seen.

    A logistic regression with one weight, the intercept, which is expected to be small; solved by bisection, as its
    slope only falls.

    Examples:
        >>> from multihop.models.local_engine.calibration import shift
        >>> shift([]), shift([(-1.0, 1.0), (-2.0, 0.0)]) > 0, shift([(2.0, 0.0), (3.0, 0.0)]) < -1
        (0.0, True, True)
    """
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        slope = sum(right - 1 / (1 + math.exp(-(odds + middle))) for odds, right in examples) - middle / PRIOR**2
        low, high = (middle, high) if slope > 0 else (low, middle)
    return (low + high) / 2 if examples else 0.0
