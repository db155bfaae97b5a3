"""The figures of runs as they are drawn: metrics with intervals, cost, calls by step, time, errors, groups."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from ..base.texts import per_minute
from ..evaluation.metrics.named import BY_GROUP
from ..evaluation.report import cost_rows, interval, missing_notes, paid_line, show_n, show_number, show_time, unit_of
from ..evaluation.summary import Group, Interval, Summary
from ..runtime import token_count


class Bar(TypedDict):
    """A mean with its interval, as a bar from 0 to 100; no bar where the metric is no share."""

    name: str
    text: str
    """The mean in its unit, with its n where that is not all questions."""
    interval: str
    n: int
    """The questions that went in."""
    mean: NotRequired[float]
    """The end of the bar, in percent; missing where the metric is no share, as are the ends of the interval."""
    low: NotRequired[float]
    high: NotRequired[float]


class StepCost(TypedDict):
    """The cost of the calls of one step."""

    step: str
    calls: float
    """LM calls a question."""
    share: float
    """The step's share of all calls, in percent."""
    tokens: float
    """Tokens a question, in and out."""


class GroupLine(TypedDict):
    """The questions that share a type or a number of hops."""

    name: str
    n: int
    bars: list[Bar | None]
    """The metrics in the order of `Figures.group_metrics`; None for one that does not apply."""


class Figures(TypedDict):
    """The figures of a run, ready to be drawn."""

    bars: list[Bar]
    """The metrics, also those that were asked for and have no number."""
    missing: list[str]
    """The reasons why metrics that were asked for have no number, a sentence each."""
    cost: list[tuple[str, str, str]]
    """A name, the cost a question, the cost in all."""
    counts: list[tuple[str, str]]
    paid: str
    """The bill, in a sentence."""
    steps: list[StepCost]
    """The cost of each step, the one with the most calls first."""
    seconds: list[tuple[str, str]]
    """The time of a question, and the time of the run."""
    errors: list[tuple[str, int]]
    """Failed questions by the error's name."""
    group_metrics: list[str]
    groups: dict[str, list[GroupLine]]
    """By "type" and by "hops"; empty where all questions share both."""


class RunLine(TypedDict):
    """One of several runs, on a line."""

    name: str
    bar: Bar | None
    """The quality; None where the runs share no metric that is a share."""
    calls: str
    """LM calls a question."""
    tokens: str
    """Tokens a question, in and out."""
    seconds: str
    """The seconds that half of the questions take at most; empty where none was timed."""


def describe_figures(summary: Summary, asked_for: Iterable[str]) -> Figures:
    """The summary as figures, with the metrics that the run was to measure and could not."""
    wanted = [name for name in asked_for if name != "K"]
    measured = summary["metrics"]
    group_metrics = [name for name in BY_GROUP if name in measured]
    return {
        "bars": [
            *(make_bar(name, found, found["n"], summary["n"]) for name, found in measured.items()),
            *(Bar(name=name, text="–", interval="–", n=0) for name in wanted if name not in measured),
        ],
        "missing": missing_notes(summary, wanted),
        "cost": list(cost_rows(summary)),
        "counts": [(name, f"{mean:,.2f}") for name, mean in summary["counts"].items()],
        "paid": paid_line(summary),
        "steps": list(_steps(summary)),
        "seconds": list(_times(summary)),
        "errors": list(summary["errors"].items()),
        "group_metrics": group_metrics,
        "groups": {
            by: [_group(value, group, group_metrics) for value, group in groups.items()]
            for by, groups in summary["breakdown"].items()
        },
    }


def describe_each(names: Sequence[str], summaries: Sequence[Summary]) -> list[RunLine]:
    """The runs, each on a line; their quality is F1, or what else they share."""
    quality = shared_quality([summary["metrics"] for summary in summaries])
    lines: list[RunLine] = []
    for name, summary in zip(names, summaries, strict=True):
        measured = summary["metrics"].get(quality or "")
        calls, tokens, seconds = (cost_a_question(summary, cost) for cost in ("calls", "tokens", "seconds"))
        lines.append(
            {
                "name": name,
                "bar": make_bar(quality, measured, measured["n"], summary["n"]) if quality and measured else None,
                "calls": f"{calls:,.1f}",
                "tokens": f"{tokens:,.0f}",
                "seconds": f"{seconds:,.2f}" if summary["timing"]["seconds"] else "",
            }
        )
    return lines


def shared_quality(runs: Sequence[Mapping[str, Interval]]) -> str | None:
    """The first metric that all runs have and that is a share: F1, exact match, any other."""
    names = ("f1", "em", *runs[0])
    return next((name for name in names if all(name in each and each[name]["mean"] <= 1.0 for each in runs)), None)


def cost_a_question(summary: Summary, cost: str) -> float:
    """The LM calls or tokens of a question, or the seconds within which half of the questions are answered."""
    if cost == "seconds":
        return summary["timing"]["seconds"]["p50"] if summary["timing"]["seconds"] else 0.0
    spent = summary["cost"]["calls"]["total"] if cost == "calls" else token_count(summary["cost"]["tokens"])
    return spent / max(1, summary["n"])


def make_bar(name: str, measured: Interval, n: int, asked: int = 0) -> Bar:
    """A metric over n questions as a bar; the n is in the text where more were asked."""
    bar: Bar = {
        "name": name,
        "text": f"{show_number(name, measured['mean'])}{show_n(n, asked)}",
        "interval": interval(name, measured),
        "n": n,
    }
    low, high = measured["low"], measured["high"]
    if low is not None and high is not None and unit_of(name)[0] == 100 and 0.0 <= low <= high <= 1.0:
        mean, low, high = (round(100 * end, 2) for end in (measured["mean"], low, high))
        bar |= {"mean": mean, "low": low, "high": high}
    return bar


def _group(value: str, group: Group, metrics: Iterable[str]) -> GroupLine:
    measured = {name: group["metrics"].get(name) for name in metrics}
    bars = [make_bar(name, found, found["n"], group["n"]) if found else None for name, found in measured.items()]
    return {"name": value or "–", "n": group["n"], "bars": bars}


def _steps(summary: Summary) -> Iterator[StepCost]:
    cost, n = summary["cost"], max(1, summary["n"])
    calls = max(1, sum(cost["calls_by_role"].values()))
    for step, count in sorted(cost["calls_by_role"].items(), key=lambda each: (-each[1], each[0])):
        tokens = cost["tokens_by_role"].get(step, {"in": 0, "out": 0})
        yield {
            "step": step,
            "calls": round(count / n, 2),
            "share": round(100 * count / calls, 1),
            "tokens": round((tokens["in"] + tokens["out"]) / n, 1),
        }


def _times(summary: Summary) -> Iterator[tuple[str, str]]:
    timing = summary["timing"]
    if seconds := timing["seconds"]:
        yield "a question, half of them within", f"{seconds['p50']:.2f} s"
        yield "19 of 20 within", f"{seconds['p95']:.2f} s"
    if timing["per_minute"] is not None:
        yield "run time", show_time(timing["run_seconds"])
        yield "questions a minute", per_minute(timing["per_minute"] / 60)
