"""How runs over the same questions, with several seeds, look in a terminal."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..evaluation.report import SIMULATED, interval, show_number
from ..runtime import show_usd
from .results import SHOWN, show_count

if TYPE_CHECKING:
    from ..evaluation import Repeats
    from ..evaluation.repeats_summary import RepeatedMetric


def show_repeats(found: Mapping[str, "Repeats"], console: Console, *, further: Iterable[str] = ()) -> None:
    """A table with a line for each metric of each program: the mean over its runs, the lowest and the highest."""
    summaries = {name: repeats.summary for name, repeats in found.items()}
    table = Table("program", "metric", "mean", "lowest run", "highest run", "95 % interval", box=SIMPLE, pad_edge=False)
    for place, column in enumerate(table.columns):
        column.no_wrap = place > 0
        column.justify = "right" if place > 1 else "left"
    for name, summary in summaries.items():
        metrics = [metric for metric in dict.fromkeys((*SHOWN, *further)) if metric in summary["metrics"]]
        for metric in metrics:
            first = f"[bold]{escape(name)}[/]" if metric == metrics[0] else ""
            table.add_row(first, metric, *_cells(metric, summary["metrics"][metric]))
    if any(summary["simulated"] for summary in summaries.values()):
        console.print(f"[bold yellow]{SIMULATED}[/]")
    console.print(table)
    _explain(found, console)


def _explain(found: Mapping[str, "Repeats"], console: Console) -> None:
    """What was asked how often, what a question took, what was paid, and where the whole report is."""
    first = next(iter(found.values()))
    seeds = ", ".join(map(str, first.summary["seeds"]))
    times = f"{max(first.summary['n']):,} questions, {first.summary['repeats']} times, with the seeds {seeds}"
    console.print(times, style="dim", highlight=False)
    for name, repeats in found.items():
        summary = repeats.summary
        cost = f"{summary['calls']:.2f} calls and {summary['tokens']:,.0f} tokens a question"
        cost += "" if summary["usd"] == 0 else f" ({show_usd(summary['usd'])})"
        paid = "" if summary["paid_calls"] is None else f", {summary['paid_calls']:,} LM calls paid"
        errors = f"{show_count(sum(summary['n_error']))} errors"
        console.print(f"{escape(name)}: {cost}{paid}, {errors}", highlight=False)
    console.print(f"{first.folder}/summary.md has the whole report", style="dim", soft_wrap=True, highlight=False)


def _cells(name: str, metric: "RepeatedMetric") -> tuple[str, ...]:
    numbers = (metric["mean"], metric["lowest"], metric["highest"])
    return *(show_number(name, number) for number in numbers), interval(name, metric)
