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
_SMALLEST = 1e-9

Decided = tuple[float, float]
"""Log odds, and the probability that was right: 0 or 1 for a decision."""


class Calibration(NamedTuple):
    """A linear change of log odds; by default none."""

    slope: float = 1.0
    shift: float = 0.0

    def move(self, odds: float) -> float:
        """The log odds, calibrated."""
        return self.slope * odds + self.shift


def fit(cases: Sequence[Decided], share: float = 0.5) -> Calibration:
    """The likeliest calibration, given cases and the belief that little need be moved; none without cases.

    Logistic regression on the log odds with a normal prior around "as they are" (maximum a posteriori), by Newton's
    method. A slope is fitted only if cases of both decisions were seen. The numbers of cases of each decision depend on
    the person who chose the cases, and say nothing of the next case; so they are set off against the usual share.

    Args:
        cases: For each, the odds given and the right verdict.
        share: The share of requests whose right verdict is yes, if nobody chooses the requests.
    """
    if not cases:
        return Calibration()
    yes = sum(right > 0.5 for _, right in cases)
    chosen = (sum(right for _, right in cases) + 1) / (len(cases) + 2)
    problem = _Problem(cases, log_odds(chosen) - log_odds(share), min(yes, len(cases) - yes) >= BOTH_WAYS)
    fitted = problem.climb(Calibration())
    return fitted if fitted.slope >= LEAST_SLOPE else problem._replace(free=False).climb(Calibration(LEAST_SLOPE))


def log_odds(probability: float) -> float:
    """The log odds of a probability, of none surer than one in ten thousand."""
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))


class _Problem(NamedTuple):
    """A calibration to be found."""

    cases: Sequence[Decided]
    chosen: float
    """The amount by which the choice of the cases raises their odds."""
    free: bool
    """True if the slope may move."""

    def climb(self, at: Calibration) -> Calibration:
        """Newton's method, each step halved until it gains."""
        height = self.height(at)
        for _ in range(_ROUNDS):
            step, size = self.step(at), 1.0
            while size > _SMALLEST:
                tried = Calibration(at.slope + size * step.slope, at.shift + size * step.shift)
                if (reached := self.height(tried)) > height:
                    break
                size /= 2
            else:
                break
            at, height = tried, reached
        return at

    def height(self, at: Calibration) -> float:
        """The logarithm of the calibration's likelihood and prior, up to a constant."""
        prior = ((at.slope - 1) / SLOPE_PRIOR) ** 2 / 2 + (at.shift / SHIFT_PRIOR) ** 2 / 2
        moved = ((at.move(odds) + self.chosen, right) for odds, right in self.cases)
        return sum(right * odds - _softplus(odds) for odds, right in moved) - prior

    def step(self, at: Calibration) -> Calibration:
        """To where the maximum would be if the height were a parabola."""
        likely = [1 / (1 + math.exp(-at.move(odds) - self.chosen)) for odds, _ in self.cases]
        known = [
            (odds, right - each, each * (1 - each)) for (odds, right), each in zip(self.cases, likely, strict=True)
        ]
        up = sum(missed for _, missed, _ in known) - at.shift / SHIFT_PRIOR**2
        bend = sum(weight for _, _, weight in known) + 1 / SHIFT_PRIOR**2
        if not self.free:
            return Calibration(0.0, up / bend)
        rise = sum(missed * odds for odds, missed, _ in known) - (at.slope - 1) / SLOPE_PRIOR**2
        curve = sum(weight * odds * odds for odds, _, weight in known) + 1 / SLOPE_PRIOR**2
        mixed = sum(weight * odds for odds, _, weight in known)
        spread = curve * bend - mixed * mixed
        return Calibration((bend * rise - mixed * up) / spread, (curve * up - mixed * rise) / spread)


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
