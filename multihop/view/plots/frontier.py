"""Quality over cost: every run as a mark, and the frontier of those that none beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...evaluation.report.report import show_n
from ...evaluation.report.summary import Interval, Summary
from ...runtime import token_count
from .plot import ACROSS, DOWN, Plot, PlotMark, place_marks
from .scales import cost_scale, share_scale

FRONTIER_DASH = "4 3"
APART = 10.0
"""The least distance between two intervals, one of which reaches as high as the other."""


class Priced(NamedTuple):
    """A run's quality and cost."""

    name: str
    """The run's name."""
    cost: float
    """A question."""
    mean: float
    """Quality, in percent."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""
    n: int = 0
    """The answers that went into the mean."""
    asked: int = 0
    """The questions that were asked, each as often as it was."""


def find_frontier(runs: Iterable[Priced]) -> list[str]:
    """The names of the runs that no other run beats in cost and quality, the cheapest first."""
    best: list[Priced] = []
    for run in sorted(runs, key=lambda each: (each.cost, -each.mean)):
        if not best or run.mean > best[-1].mean:
            best.append(run)
    return [run.name for run in best]


def shared_quality(runs: Sequence[Mapping[str, Interval]], first: str = "em") -> str | None:
    """The first metric that all runs have and that is a share: one that is named, exact match, F1, any other."""
    names = (first, "em", "f1", *runs[0])
    return next((name for name in names if all(name in each and each[name]["high"] <= 1.0 for each in runs)), None)


def plot_quality(names: Sequence[str], summaries: Sequence[Summary], cost: str) -> Plot | None:
    """F1, or what else the runs share, over "LM calls", "tokens" or "seconds" a question.

    None where they share no metric that is a share, or where the cost of one of them is not known.
    """
    quality = shared_quality([each["metrics"] for each in summaries], first="f1")
    if quality is None or (cost == "seconds" and not all(each["timing"]["seconds"] for each in summaries)):
        return None
    runs = []
    for name, summary in zip(names, summaries, strict=True):
        measured = summary["metrics"][quality]
        runs.append(as_priced(name, cost_a_question([summary], cost), measured, measured["n"], summary["n"]))
    return place_points(runs, quality=quality, cost=cost)


def cost_a_question(summaries: Sequence[Summary], cost: str) -> float:
    """LM calls, tokens or seconds a question, as `cost` says, over all the runs.

    Seconds are those within which half of the questions are answered.
    """
    if cost == "seconds":
        halves = [each["timing"]["seconds"]["p50"] for each in summaries if each["timing"]["seconds"]]
        return sum(halves) / max(1, len(halves))
    costs = [summary["cost"] for summary in summaries]
    spent = sum(each["calls"]["total"] if cost == "LM calls" else token_count(each["tokens"]) for each in costs)
    return spent / max(1, sum(summary["n"] for summary in summaries))


def as_priced(name: str, cost: float, measured: Interval, n: int, asked: int) -> Priced:
    """The run, in percent."""
    mean, low, high = (100 * share for share in (measured["mean"], measured["low"], measured["high"]))
    return Priced(name, cost, mean, low, high, n, asked)


def place_points(runs: Sequence[Priced], *, quality: str, cost: str, note: str = "") -> Plot:
    """Place each run, the scales, and the line along the frontier."""
    best, across = find_frontier(runs), cost_scale([run.cost for run in runs], *ACROSS)
    asides = set_apart([(across.place(run.cost), run.low, run.high) for run in runs])
    marks = [
        PlotMark(
            run.name,
            run.cost,
            run.mean,
            run.low,
            run.high,
            title=(
                f"{run.name}: {quality} {run.mean:.1f} ({run.low:.1f} – {run.high:.1f}){show_n(run.n, run.asked)}, "
                f"{run.cost:,.1f} {cost} a question"
            ),
            filled=run.name in best,
            aside=aside,
            n_note=show_n(run.n, run.asked),
        )
        for run, aside in zip(runs, asides, strict=True)
    ]
    places = {run.name: place for place, run in enumerate(runs)}
    plot = place_marks(
        marks,
        [([places[name] for name in best], FRONTIER_DASH)],
        x=across,
        y=share_scale(min(run.low for run in runs), max(run.high for run in runs), *DOWN),
        title=f"{quality} over {cost} a question",
        x_title=f"{cost} a question",
        y_title=f"{quality}, in percent",
        note=note,
    )
    plot["frontier_line"] = f"On the frontier, which no run beats in both: {', '.join(best)}."
    return plot


def set_apart(intervals: Sequence[tuple[float, float, float]]) -> list[float]:
    """How far each upright interval is moved to the right, so that none lies over another.

    Args:
        intervals: The place of each to the right, and its two ends.

    Examples:
        >>> from multihop.view.plots.frontier import set_apart
        >>> set_apart([(50.0, 0, 9), (52.0, 5, 20), (52.0, 30, 40), (90.0, 0, 9)])
        [0.0, 8.0, 0.0, 0.0]
    """
    placed: list[tuple[float, float, float]] = []
    moved = [0.0] * len(intervals)
    for number in sorted(range(len(intervals)), key=lambda each: intervals[each][0]):
        right, low, high = intervals[number]
        beside = sorted(at for at, bottom, top in placed if bottom <= high and low <= top)
        for at in beside:
            if abs(right - at) < APART:
                right = at + APART
        placed.append((right, low, high))
        moved[number] = round(right - intervals[number][0], 1)
    return moved
