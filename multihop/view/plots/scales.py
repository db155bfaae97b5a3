"""The scales of a plot: round numbers around what is drawn, powers of ten, or the very values."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Scale(NamedTuple):
    """Numbers as places along an axis."""

    ticks: list[float]
    """The numbers that are written, the lowest and the highest among them."""
    start: float
    """The place of the first."""
    end: float
    """The place of the last."""
    logarithmic: bool = False
    """True if equal ratios are equally far apart."""

    def place(self, value: float) -> float:
        """The place at which the number is drawn.

        Examples:
            >>> from multihop.view.plots.scales import Scale
            >>> Scale([0.0, 10.0], 40.0, 140.0).place(2.5), Scale([1.0, 100.0], 0.0, 50.0, True).place(10)
            (65.0, 25.0)
        """
        first, last, at = (self._even(each) for each in (self.ticks[0], self.ticks[-1], value))
        share = (at - first) / (last - first) if last != first else 0.5
        return round(self.start + share * (self.end - self.start), 1)

    def _even(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value


def cost_scale(costs: Sequence[float], start: float, end: float) -> Scale:
    """A scale for costs, logarithmic where they lie far apart."""
    low, high = min(costs), max(costs)
    if low > 0 and high / low >= 20:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return Scale([10.0**power for power in powers], start, end, logarithmic=True)
    return Scale(round_steps(0, high or 1), start, end)


def share_scale(low: float, high: float, start: float, end: float) -> Scale:
    """A scale for percentages around both."""
    return Scale(round_steps(*_at_least(10.0, low, high)), start, end)


def value_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale with a tick at each of the values, logarithmic where they grow by ratios.

    Examples:
        >>> from multihop.view.plots.scales import value_scale
        >>> value_scale([5, 1, 20], 0, 100).logarithmic, value_scale([3, 1, 2], 0, 100).ticks
        (True, [1, 2, 3])
    """
    ticks = sorted(set(values))
    return Scale(ticks, start, end, logarithmic=ticks[0] > 0 and ticks[-1] / ticks[0] >= 8)


def tick_text(tick: float) -> str:
    """A number beside its axis.

    Examples:
        >>> from multihop.view.plots.scales import tick_text
        >>> [tick_text(tick) for tick in (0.5, 20.0, 1000.0, 20_000.0)]
        ['0.5', '20', '1,000', '20 k']
    """
    return f"{tick:,g}" if abs(tick) < 1e4 else f"{tick / 1000:,g} k"


def round_steps(low: float, high: float) -> list[float]:
    """From four to seven round numbers around both.

    Examples:
        >>> from multihop.view.plots.scales import round_steps
        >>> round_steps(0, 60), round_steps(33, 41)
        ([0.0, 20.0, 40.0, 60.0], [32.0, 34.0, 36.0, 38.0, 40.0, 42.0])
    """
    span = max(high - low, 1e-9)
    size = 10.0 ** math.floor(math.log10(span / 3))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(place * step, 9) for place in range(first, max(last, first + 1) + 1)]


def _at_least(span: float, low: float, high: float) -> tuple[float, float]:
    """A range that is wide enough for a scale; it is widened downwards, but not below 0."""
    low = max(0, min(low, high - span))
    return low, max(high, low + span)
