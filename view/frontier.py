"""What quality costs: every run as a point, and the frontier of those that none beats in both."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypedDict

from ..evaluation.summary import Summary
from ..runtime import token_count

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 84, 14, 38
"""Room around the drawing, for the axes and the names."""
LONGEST_NAME = 26
"""Letters of a name that are shown."""
LINE, LETTER = 13.0, 6.1
"""How high and how wide the letters of a name are."""
PARTS = 8
"""Into so many the line between two points of the frontier is divided, where names keep off it."""
BESIDE = ((11, 4, "start"), (-11, 4, "end"), (9, 17, "start"), (9, -9, "start"), (-9, -9, "end"), (-9, 17, "end"))
"""Where a name may be beside its point, the best place first."""


class Priced(NamedTuple):
    """A run's quality and cost."""

    name: str
    """The run's name."""
    cost: float
    """A question."""
    mean: float
    """Quality, in percent."""
    low: float
    """Where its interval begins."""
    high: float
    """Where it ends."""


class Point(TypedDict):
    """A run, where it is drawn."""

    name: str
    """The run's name."""
    x: float
    """To the right."""
    y: float
    """Down."""
    low: float
    """Where the interval ends below."""
    high: float
    """And above."""
    label: tuple[float, float, str]
    """Where the name is: to the right, down, and which end of it is there."""
    best: bool
    """Whether it is on the frontier."""
    title: str
    """Its figures in words."""


class Plot(TypedDict):
    """Quality over cost."""

    quality: str
    """The metric."""
    cost: str
    """What is counted, a question."""
    logarithmic: bool
    """Whether the cost's scale is."""
    x_ticks: list[tuple[float, str]]
    """Place and text of each."""
    y_ticks: list[tuple[float, str]]
    """Likewise."""
    points: list[Point]
    """The runs, each with the name that is shown."""
    frame: tuple[int, int, int, int]
    """Where the scales begin and end on the left and right, where they are below, and the height of all."""
    frontier: str
    """The frontier as points of a line."""


def find_frontier(runs: Iterable[Priced]) -> list[str]:
    """The names of the runs that no other run beats in cost and quality, the cheapest first.

    Examples:
        >>> from multihop.view.frontier import Priced, find_frontier
        >>> runs = [Priced("dear", 9, 50, 0, 0), Priced("cheap", 1, 30, 0, 0), Priced("worse", 9, 40, 0, 0)]
        >>> find_frontier(runs)
        ['cheap', 'dear']
    """
    best: list[Priced] = []
    for run in sorted(runs, key=lambda each: (each.cost, -each.mean)):
        if not best or run.mean > best[-1].mean:
            best.append(run)
    return [run.name for run in best]


def plot_quality(names: Sequence[str], summaries: Sequence[Summary], cost: str) -> Plot | None:
    """Quality over "LM calls" or "tokens" a question; None where the runs share no metric that is a share."""
    shared = [
        name
        for name in ("em", "f1", *summaries[0]["metrics"])
        if all(name in each["metrics"] and each["metrics"][name]["high"] <= 1.0 for each in summaries)
    ]
    if not shared:
        return None
    runs = []
    for name, summary in zip(names, summaries, strict=True):
        measured, total = summary["metrics"][shared[0]], summary["cost"]
        spent = total["calls"]["total"] if cost == "LM calls" else token_count(total["tokens"])
        mean, low, high = (100 * measured[end] for end in ("mean", "low", "high"))
        runs.append(Priced(name, spent / max(1, summary["n"]), mean, low, high))
    return place_points(runs, quality=shared[0], cost=cost)


def place_points(runs: Sequence[Priced], *, quality: str, cost: str) -> Plot:
    """Where each run is drawn, the scales, and the line along the frontier."""
    costs = [run.cost for run in runs]
    logarithmic = min(costs) > 0 and max(costs) / min(costs) >= 20
    x_ticks = _powers(min(costs), max(costs)) if logarithmic else _steps(0, max(costs) or 1)
    y_ticks = _steps(*_at_least(10.0, min(run.low for run in runs), max(run.high for run in runs)))
    best = find_frontier(runs)

    def across(value: float) -> float:
        change = math.log10 if logarithmic else float
        first, last = change(x_ticks[0]), change(x_ticks[-1])
        return round(LEFT + (change(value) - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def down(value: float) -> float:
        return round(HEIGHT - BOTTOM - (value - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (HEIGHT - TOP - BOTTOM), 1)

    points: list[Point] = [
        {
            "name": run.name if len(run.name) <= LONGEST_NAME else f"{run.name[: LONGEST_NAME - 1]}…",
            "x": across(run.cost),
            "y": down(run.mean),
            "low": down(max(run.low, y_ticks[0])),
            "high": down(run.high),
            "label": (0.0, 0.0, "start"),
            "best": run.name in best,
            "title": (
                f"{run.name}: {quality} {run.mean:.1f} ({run.low:.1f} – {run.high:.1f}), "
                f"{run.cost:,.1f} {cost} a question"
            ),
        }
        for run in runs
    ]
    _place_names(points)
    places = {run.name: point for run, point in zip(runs, points, strict=True)}
    return {
        "quality": quality,
        "cost": cost,
        "logarithmic": logarithmic,
        "x_ticks": [(across(tick), f"{tick:,g}" if tick < 1e4 else f"{tick / 1000:,g} k") for tick in x_ticks],
        "y_ticks": [(down(tick), f"{tick:g}") for tick in y_ticks],
        "points": points,
        "frame": (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT),
        "frontier": " ".join(f"{places[name]['x']},{places[name]['y']}" for name in best),
    }


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "_Box") -> float:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)


def _place_names(points: list[Point]) -> None:
    """Each name beside its point, where it hides the least of the other points, their intervals and names."""
    drawn = [_Box(point["x"] - 6, point["y"] - 6, point["x"] + 6, point["y"] + 6) for point in points]
    drawn += [_Box(point["x"] - 1, point["high"], point["x"] + 1, point["low"]) for point in points]
    best = sorted((point for point in points if point["best"]), key=lambda each: each["x"])
    for a, b in pairwise(best):
        for part in range(1, PARTS):
            x, y = (a[way] + (b[way] - a[way]) * part / PARTS for way in ("x", "y"))  # type: ignore[literal-required]
            drawn.append(_Box(x - 3, y - 3, x + 3, y + 3))
    page = _Box(LEFT, 0, WIDTH, HEIGHT - BOTTOM)
    for point in points:
        width = LETTER * min(len(point["name"]), LONGEST_NAME)
        places = []
        for right, down, anchor in BESIDE:
            x, y = point["x"] + right, point["y"] + down
            left = x if anchor == "start" else x - width
            box = _Box(left, y - LINE + 2, left + width, y + 2)
            hidden = sum(box.overlap(each) for each in drawn) + width * LINE - box.overlap(page)
            places.append((round(hidden), (round(x, 1), round(y, 1), anchor), box))
        _, point["label"], box = min(places, key=lambda each: each[0])
        drawn.append(box)


def _steps(low: float, high: float) -> list[float]:
    """From four to seven round numbers around both.

    Examples:
        >>> from multihop.view.frontier import _steps
        >>> _steps(0, 60), _steps(33, 41)
        ([0.0, 20.0, 40.0, 60.0], [32.0, 34.0, 36.0, 38.0, 40.0, 42.0])
    """
    span = max(high - low, 1e-9)
    size = 10.0 ** math.floor(math.log10(span / 3))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(place * step, 9) for place in range(first, max(last, first + 1) + 1)]


def _at_least(span: float, low: float, high: float) -> tuple[float, float]:
    """A range that is wide enough for a scale; it is widened downwards, but not below 0.

    Examples:
        >>> from multihop.view.frontier import _at_least
        >>> _at_least(10, 100, 100), _at_least(10, 2, 3), _at_least(10, 20, 60)
        ((90, 100), (0, 10), (20, 60))
    """
    low = max(0, min(low, high - span))
    return low, max(high, low + span)


def _powers(low: float, high: float) -> list[float]:
    """The powers of ten around both."""
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
