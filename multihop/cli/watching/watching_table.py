"""A run that is watched in a terminal: how far it is, what it has come to, the last few questions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group
from rich.markup import escape
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ...base.progress_line import APART, brief, clock, per_minute
from ...evaluation.report.report import show_n, show_number
from ...view.live.live_words import STATUSES, facts_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...view.live.live_runs import LiveRunsState
    from ...view.live.live_state import LastQuestion, LiveMetric, LiveState

MAIN = ("em", "f1", "recall@5")
"""The metrics that a line shows."""
LONGEST_NAME = 26
"""Columns for a question's id at most."""
LONGEST_BAR = 40
_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


def draw_runs(state: "LiveRunsState", height: int) -> "RenderableType":
    """All of it, in so many lines; the main metrics alone where there are few, a line for each repeat that has ended.

    Args:
        state: How far the runs are.
        height: Lines that there are.
    """
    *ended, run = state["runs"]
    lines: list[RenderableType] = [
        Text(live_line(each), style="dim", no_wrap=True, overflow="ellipsis") for each in ended
    ]
    metrics = [*run["metrics"]]
    if len(ended) + _height_of(run, len(metrics)) > height:  # cost and errors before every metric
        metrics = [name for name in metrics if name in MAIN]
        while metrics and len(ended) + _height_of(run, len(metrics)) > height:
            metrics.pop()
    lines += _upper_part(run, metrics)
    left = height - len(ended) - _height_of(run, len(metrics))
    if run["last"] and left > 1:
        lines += [Text(), _questions(run["last"][: left - 1])]
    return Group(*lines)


def live_line(state: "LiveState") -> str:
    """The most important of it in one line.

    Examples:
        >>> from multihop.cli.watching.watching_table import live_line
        >>> em = {"mean": 0.5, "n": 3, "low": 0.2, "high": 0.8}
        >>> print(live_line({"program": "tor", "folder": "runs/a", "done": 4, "total": 10, "metrics": {"em": em},
        ...                  "calls": 10, "tokens": 4800, "over_budget": 1, "errors": {"TimeoutError": 1},
        ...                  "unmeasured": {}, "per_minute": 12.0, "seconds_left": 30.0, "status": "running"}))
        tor in runs/a: done 4/10  em 50.0, 20.0 – 80.0 (n=3)  calls 10  tokens 4.8k  cut short 1  errors 1  \
12 questions a minute  left 0:30
    """
    return APART.join(_line_parts(state))


def _line_parts(state: "LiveState") -> Iterator[str]:
    yield f"{state['program']} in {state['folder']}: done {state['done']:,}/{state['total']:,}"
    for name in MAIN:
        if (found := state["metrics"].get(name)) is not None:
            n = show_n(found["n"], state["done"])
            yield f"{name} {show_number(name, found['mean'])}, {_interval(name, found)}{n}"
    yield f"calls {state['calls']:,}"
    yield f"tokens {brief(state['tokens'])}"
    counts = {
        "cut short": state["over_budget"],
        "errors": sum(state["errors"].values()),
        "not measured": sum(state["unmeasured"].values()),
    }
    yield from (f"{name} {count:,}" for name, count in counts.items() if count)
    if state["per_minute"] is not None:
        yield f"{per_minute(state['per_minute'] / 60)} questions a minute"
    if state["status"] != "running":
        yield STATUSES[state["status"]]
    elif state["seconds_left"] is not None:
        yield f"left {clock(state['seconds_left'])}"


def _upper_part(state: "LiveState", metrics: list[str]) -> "Iterator[RenderableType]":
    where = Text.assemble((state["program"], "bold"), (f"  on {state['lm']}, in {state['folder']}", "dim"))
    where.no_wrap, where.overflow = True, "ellipsis"
    yield where
    if state["simulated"]:
        yield Text("SIMULATED: these numbers say nothing about quality.", style="bold yellow", no_wrap=True)
    yield _bar(state)
    yield Text()
    if metrics:
        yield _metrics(state, metrics)
        yield Text()
    facts = Table.grid(padding=(0, 2, 0, 0), expand=True)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for name, text in facts_of(state):
        facts.add_row(name, escape(text))
    yield facts


def _height_of(state: "LiveState", metrics: int) -> int:
    """The lines of the upper part with so many metrics."""
    return 3 + state["simulated"] + (metrics + 2 if metrics else 0) + len(facts_of(state))


def _bar(state: "LiveState") -> Table:
    done = f"{state['done']:,} of {state['total']:,} questions"
    bar = Table.grid(padding=(0, 2, 0, 0), expand=True)
    bar.add_column(no_wrap=True)
    bar.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    if state["status"] == "running":
        bar.add_row(ProgressBar(max(1, state["total"]), state["done"], width=LONGEST_BAR), done)
    else:
        bar.add_row(
            Text(done), Text(STATUSES[state["status"]], style="yellow" if state["status"] != "finished" else "green")
        )
    return bar


def _metrics(state: "LiveState", names: list[str]) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim", pad_edge=False)
    for head in ("metric", "mean", "95 % interval", "n"):
        table.add_column(head, justify="left" if head == "metric" else "right", no_wrap=True)
    for name in names:
        found = state["metrics"][name]
        all_went_in = found["n"] == state["done"]
        table.add_row(
            escape(name),
            f"[bold]{show_number(name, found['mean'])}[/]",
            _interval(name, found),
            Text(f"{found['n']:,}", style="dim" if all_went_in else "yellow"),
        )
    return table


def _interval(name: str, found: "LiveMetric") -> str:
    if "low" not in found or "high" not in found:
        return "–"
    return f"{show_number(name, found['low'])} – {show_number(name, found['high'])}"


def _questions(last: "list[LastQuestion]") -> Padding:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=LONGEST_NAME, style="dim")
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=2)
    for each in last:
        sign, style = ("!", "yellow") if each["status"] == "error" else _MARKS[each["right"]]
        answer = Text(" ".join(each["answer"].split()) or "–", style=style)
        if each["status"] == "over_budget":
            answer.append("  cut short", style="dim")
        table.add_row(Text(sign, style=style), Text(each["id"]), Text(" ".join(each["question"].split())), answer)
    return Padding(table, 0)
