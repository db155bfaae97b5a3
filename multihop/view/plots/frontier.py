"""Quality over cost: every run as a mark, and the frontier of those that none beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...evaluation.report.report import show_n
from ...evaluation.report.summary import Interval, Summary
from ...runtime import token_count
from .plot import ACROSS, DOWN, Plot, PlotMark, place_marks
from .scales import cost_scale, share_scale

FRONTIER_DASH = "4 3"


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
    """Quality over "LM calls" or "tokens" a question; None where the runs share no metric that is a share."""
    quality = shared_quality([each["metrics"] for each in summaries])
    if quality is None:
        return None
    runs = []
    for name, summary in zip(names, summaries, strict=True):
        measured = summary["metrics"][quality]
        runs.append(as_priced(name, cost_a_question([summary], cost), measured, measured["n"], summary["n"]))
    return place_points(runs, quality=quality, cost=cost)


def cost_a_question(summaries: Sequence[Summary], cost: str) -> float:
    """LM calls or tokens a question, as `cost` says, over all the runs."""
    costs = [summary["cost"] for summary in summaries]
    spent = sum(each["calls"]["total"] if cost == "LM calls" else token_count(each["tokens"]) for each in costs)
    return spent / max(1, sum(summary["n"] for summary in summaries))


def as_priced(name: str, cost: float, measured: Interval, n: int, asked: int) -> Priced:
    """The run, in percent."""
    mean, low, high = (100 * share for share in (measured["mean"], measured["low"], measured["high"]))
    return Priced(name, cost, mean, low, high, n, asked)


def place_points(runs: Sequence[Priced], *, quality: str, cost: str, note: str = "") -> Plot:
    """Place each run, the scales, and the line along the frontier."""
    best = find_frontier(runs)
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
            n_note=show_n(run.n, run.asked),
        )
        for run in runs
    ]
    places = {run.name: place for place, run in enumerate(runs)}
    return place_marks(
        marks,
        [([places[name] for name in best], FRONTIER_DASH)],
        x=cost_scale([run.cost for run in runs], *ACROSS),
        y=share_scale(min(run.low for run in runs), max(run.high for run in runs), *DOWN),
        title=f"{quality} over {cost} a question",
        x_title=f"{cost} a question",
        y_title=f"{quality}, in percent",
        note=note,
    )
