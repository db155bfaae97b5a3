"""Odds calibrated by cases whose decisions are known: a slope and a shift, as few cases as there may be."""

import math
from collections.abc import Sequence
from typing import NamedTuple

SHIFT_PRIOR = 1.0
"""The standard deviation of shifts expected before any case is seen, in log odds."""
SLOPE_PRIOR = 0.25
"""The same of slopes, around 1."""
LEAST_SLOPE = 0.1
"""A case more likely before stays the more likely one."""
BOTH_WAYS = 2
"""Cases of each decision that it takes to fit a slope; fewer say nothing of how sure the odds should be."""
_ROUNDS = 100

Case = tuple[float, float]
"""Log odds, and the probability that was right: 0 or 1 for a decision."""


class Calibration(NamedTuple):
    """How odds are moved; as it comes, not at all.

    Examples:
        >>> from multihop.models.local_engine.calibration import Calibration
        >>> Calibration().moved(-1.5), Calibration(slope=0.5, shift=1.0).moved(-1.5)
        (-1.5, 0.25)
    """

    slope: float = 1.0
    shift: float = 0.0

    def moved(self, odds: float) -> float:
        """The log odds, calibrated."""
        return self.slope * odds + self.shift


def fit(cases: Sequence[Case]) -> Calibration:
    """The likeliest calibration, given cases and the belief that little need be moved; none without cases.

    Logistic regression on the log odds with a normal prior around "as they are" (maximum a posteriori), by Newton's
    method. A slope is fitted only where cases of both decisions were seen; where all say the same, the prior keeps the
    shift small.

    Examples:
        >>> from multihop.models.local_engine.calibration import fit
        >>> fit([]), fit([(0.0, 1.0), (0.0, 0.0)])
        (Calibration(slope=1.0, shift=0.0), Calibration(slope=1.0, shift=0.0))
        >>> fit([(-1.0, 1.0), (-2.0, 0.0), (-1.0, 1.0)]).shift > 0
        True
    """
    if not cases:
        return Calibration()
    yes = sum(right > 0.5 for _, right in cases)
    free = min(yes, len(cases) - yes) >= BOTH_WAYS
    found = _climb(cases, Calibration(), free=free)
    return found if found.slope >= LEAST_SLOPE else _climb(cases, Calibration(LEAST_SLOPE), free=False)


def log_odds(probability: float) -> float:
    """The log odds of a probability, of none surer than one in ten thousand.

    Examples:
        >>> from multihop.models.local_engine.calibration import log_odds
        >>> log_odds(0.5), round(log_odds(0.0), 2)
        (0.0, -9.21)
    """
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))


def _climb(cases: Sequence[Case], start: Calibration, *, free: bool) -> Calibration:
    """Newton's method from the start, each step halved until it gains; the slope moves only if it is free."""
    at, height = start, _height(cases, start)
    for _ in range(_ROUNDS):
        step = _newton_step(cases, at, free=free)
        size = 1.0
        while size > 1e-9:
            tried = Calibration(at.slope + size * step.slope, at.shift + size * step.shift)
            reached = _height(cases, tried)
            if reached > height:
                break
            size /= 2
        else:
            return at
        at, height = tried, reached
    return at


def _height(cases: Sequence[Case], at: Calibration) -> float:
    """The logarithm of how likely the calibration is, but for a constant."""
    prior = ((at.slope - 1) / SLOPE_PRIOR) ** 2 / 2 + (at.shift / SHIFT_PRIOR) ** 2 / 2
    return -prior + sum(right * (moved := at.moved(odds)) - _softplus(moved) for odds, right in cases)


def _newton_step(cases: Sequence[Case], at: Calibration, *, free: bool) -> Calibration:
    likely = [1 / (1 + math.exp(-at.moved(odds))) for odds, _ in cases]
    weights = [each * (1 - each) for each in likely]
    up = sum(right - each for (_, right), each in zip(cases, likely, strict=True)) - at.shift / SHIFT_PRIOR**2
    bend = sum(weights) + 1 / SHIFT_PRIOR**2
    if not free:
        return Calibration(0.0, up / bend)
    rise = sum((right - each) * odds for (odds, right), each in zip(cases, likely, strict=True))
    rise -= (at.slope - 1) / SLOPE_PRIOR**2
    mixed = sum(weight * odds for weight, (odds, _) in zip(weights, cases, strict=True))
    curve = sum(weight * odds * odds for weight, (odds, _) in zip(weights, cases, strict=True)) + 1 / SLOPE_PRIOR**2
    spread = curve * bend - mixed * mixed
    return Calibration((bend * rise - mixed * up) / spread, (curve * up - mixed * rise) / spread)


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
