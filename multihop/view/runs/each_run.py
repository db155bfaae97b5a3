"""Several runs, each on a line of its own: its quality with the interval, and the cost of a question."""

from collections.abc import Sequence
from typing import TypedDict

from ...evaluation.report.summary import Summary
from ..plots.frontier import cost_a_question, shared_quality
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
    quality = shared_quality([summary["metrics"] for summary in summaries], first="f1")
    return [_line(name, summary, quality) for name, summary in zip(names, summaries, strict=True)]


def _line(name: str, summary: Summary, quality: str | None) -> RunLine:
    measured = summary["metrics"].get(quality or "")
    calls, tokens, seconds = (cost_a_question([summary], cost) for cost in ("LM calls", "tokens", "seconds"))
    return {
        "name": name,
        "bar": None
        if quality is None or measured is None
        else make_bar(quality, measured, measured["n"], summary["n"]),
        "calls": f"{calls:,.1f}",
        "tokens": f"{tokens:,.0f}",
        "seconds": f"{seconds:,.2f}" if summary["timing"]["seconds"] else "",
    }
