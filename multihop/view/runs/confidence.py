"""The worth of the confidence of runs as a page shows it: a line for each run, and the two plots."""

from collections.abc import Sequence
from typing import TypedDict

from ...evaluation.report.grounds import RefusedShare
from ...evaluation.report.summary import Summary
from ..plots import Plot, plot_reliability, plot_risk_coverage

MOST_DRAWN = 4
"""Runs that are told from each other in a plot."""


class ConfidenceLine(TypedDict):
    """The worth of a run's confidence, and what it refused, ready to be shown."""

    name: str
    """The run's name."""
    calibrated: bool
    """True if the confidence was fitted."""
    ece: str
    """Its calibration error."""
    auroc: str
    """How well it tells right from wrong."""
    f1: list[str]
    """F1 of all answers, of the surest 80 % and of the surest 50 %, in percent."""
    refused: list[str]
    """The shares that were refused of the questions that can be answered, and of those that cannot, in percent."""


class ShownConfidence(TypedDict):
    """The worth of the confidence of runs."""

    lines: list[ConfidenceLine]
    """The runs whose answers have one."""
    refuses: bool
    """True if any question was refused, or cannot be answered."""
    plots: list[Plot]
    """The reliability diagram and the risk-coverage curve; none where the runs are too many."""


def describe_confidence(names: Sequence[str], summaries: Sequence[Summary]) -> ShownConfidence | None:
    """The worth of the confidence of these runs; None where no answer has one.

    Args:
        names: The runs' names.
        summaries: Their summaries.
    """
    named = dict(zip(names, summaries, strict=True))
    worth = {name: summary["confidence"] for name, summary in named.items() if "confidence" in summary}
    if not worth:
        return None
    drawn = len(worth) <= MOST_DRAWN
    return {
        "lines": [_line(name, named[name]) for name in worth],
        "refuses": any("refusals" in named[name] for name in worth),
        "plots": [plot_reliability(worth), plot_risk_coverage(worth)] if drawn else [],
    }


def _line(name: str, summary: Summary) -> ConfidenceLine:
    worth, refused = summary["confidence"], summary.get("refusals")
    kinds = (None, None) if refused is None else (refused["answerable"], refused["unanswerable"])
    return {
        "name": name,
        "calibrated": worth["calibrated"],
        "ece": f"{worth['ece']:.3f}",
        "auroc": "–" if worth["auroc"] is None else f"{worth['auroc']:.3f}",
        "f1": [f"{100 * share:.1f}" for share in (worth["f1"], worth["f1_at_80"], worth["f1_at_50"])],
        "refused": [_share(kind) for kind in kinds],
    }


def _share(refused: RefusedShare | None) -> str:
    return "–" if refused is None else f"{100 * refused['mean']:.1f} of {refused['n']:,}"
