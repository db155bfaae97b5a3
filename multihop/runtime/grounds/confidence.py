"""The probability that an answer is right, from its signals: a logistic curve that dev questions are fitted with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from ...base import unknown
from .signals import Signals

Finite = Annotated[float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Weight:
    """The part that one signal has in the confidence: `weight` for each `scale` above `mean`."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    weight: Finite
    """Added to the logarithm of the odds."""
    mean: Finite = 0.0
    """The signal's mean over the questions it was fitted on; a missing signal counts as this."""
    scale: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """Its standard deviation over them."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted confidence, which a saved program keeps among its settings.

    Examples:
        >>> from multihop.runtime.grounds.confidence import Calibration, Weight
        >>> calibration = Calibration({"complete": Weight(1.5, mean=0.4, scale=0.3)}, bias=0.0)
        >>> round(calibration.confidence({"complete": 0.9}), 2), calibration.confidence({})
        (0.92, 0.5)
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    weights: Mapping[str, Weight]
    """The weight of each signal, by its name."""
    bias: Finite
    """The logarithm of the odds where every signal is at its mean."""
    lm: str = ""
    """The LM whose answers it was fitted on; another one's are told from each other less well."""
    questions: Annotated[int, Field(ge=0)] = 0
    """The number of questions."""

    def __post_init__(self) -> None:
        for name in self.weights:
            if name not in Signals.__annotations__:
                raise unknown("signal", name, Signals.__annotations__)

    def confidence(self, signals: Signals) -> float:
        """The probability that the answer is right."""
        given: Mapping[str, Any] = signals
        odds = self.bias + sum(
            each.weight * (given[name] - each.mean) / each.scale for name, each in self.weights.items() if name in given
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


USUAL = Calibration(
    {
        "refused": Weight(-4.0),
        "stands": Weight(0.5, mean=0.3),
        "agreement": Weight(1.0, mean=0.5),
        "enough": Weight(0.5, mean=0.5),
        "over_budget": Weight(-0.5),
        "complete": Weight(0.7, mean=1.8, scale=2.6),
        "first": Weight(0.1, mean=2.1, scale=1.9),
        "second": Weight(0.3, mean=0.4, scale=2.1),
        "margin": Weight(0.2, mean=0.4, scale=2.3),
    },
    bias=-0.4,
)
"""The confidence of a program that was never calibrated, which ranks answers and is no probability.

The weights of `complete`, `first`, `second` and `margin`, and the bias, are those of answers of the built-in LM to dev
questions of HotpotQA, 2WikiMultiHopQA and MuSiQue (docs/lab/confidence.md), rounded; the others are set by hand.
"""
