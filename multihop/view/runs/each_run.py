"""Several runs, each on a line of its own: its quality with the interval, and the cost of a question."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from ...evaluation.summary import Interval, Summary
from ...runtime import token_count
from .figures import Bar, make_bar


class RunLine(TypedDict):
    """A run."""

    name: str
    """Its name."""
    bar: Bar | None
    """Its quality; None where the runs share no metric that is a share."""
    calls: str
    """LM calls a question."""
    tokens: str
    """Tokens a question, in and out."""
    seconds: str
    """The seconds that half of the questions take at most; empty where none was timed."""


def describe_each(names: Sequence[str], summaries: Sequence[Summary]) -> list[RunLine]:
    """The runs, each on a line; their quality is F1, or what else they share."""
    quality = shared_quality([summary["metrics"] for summary in summaries])
    return [_line(name, summary, quality) for name, summary in zip(names, summaries, strict=True)]


def shared_quality(runs: Sequence[Mapping[str, Interval]]) -> str | None:
    """The first metric that all runs have and that is a share: F1, exact match, any other."""
    names = ("f1", "em", *runs[0])
    return next((name for name in names if all(name in each and each[name]["high"] <= 1.0 for each in runs)), None)


def cost_a_question(summary: Summary, cost: str) -> float:
    """The LM calls, tokens or seconds of a question, as `cost` says.

    Seconds are those within which half of the questions are answered, each alone.
    """
    if cost == "seconds":
        return summary["timing"]["seconds"]["p50"] if summary["timing"]["seconds"] else 0.0
    spent = summary["cost"]["calls"]["total"] if cost == "calls" else token_count(summary["cost"]["tokens"])
    return spent / max(1, summary["n"])


def _line(name: str, summary: Summary, quality: str | None) -> RunLine:
    measured = summary["metrics"].get(quality or "")
    calls, tokens, seconds = (cost_a_question(summary, cost) for cost in ("calls", "tokens", "seconds"))
    return {
        "name": name,
        "bar": None
        if quality is None or measured is None
        else make_bar(quality, measured, measured["n"], summary["n"]),
        "calls": f"{calls:,.1f}",
        "tokens": f"{tokens:,.0f}",
        "seconds": f"{seconds:,.2f}" if summary["timing"]["seconds"] else "",
    }
