"""Runs over the same questions, with several seeds, in a terminal."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from ...base.texts import say_count
from ...evaluation.journal import read_header
from ...evaluation.repeats import repeats_missing, repeats_warnings
from ...evaluation.report import interval, show_number, time_note
from ...runtime import show_usd
from .output import print_line
from .results import SHOWN, show_count
from .tables import print_table

if TYPE_CHECKING:
    from ...evaluation import Repeats
    from ...evaluation.repeats import RepeatedMetric, RepeatsSummary


def show_repeats(found: Mapping[str, "Repeats"], console: Console, *, further: Iterable[str] = ()) -> None:
    """A table with a line for each metric of each program: the mean over its runs, the lowest and the highest."""
    summaries = {name: repeats.summary for name, repeats in found.items()}
    for name, summary in summaries.items():
        for note in repeats_warnings(summary):
            whose = f"{name}: " if len(summaries) > 1 else ""
            console.print(f"{whose}{note}", style="yellow", highlight=False, markup=False)
    rows, missing = [], {}
    for name, repeats in found.items():
        measured = read_header(repeats.runs[0].folder)["identity"].get("metrics", {})
        metrics = [metric for metric in dict.fromkeys((*SHOWN, *further)) if metric in measured]
        missing[name] = repeats_missing(repeats.summary, metrics)
        for metric in metrics:
            first = f"[bold]{escape(name)}[/]" if metric == metrics[0] else ""
            rows.append([first, escape(metric), *_cells(metric, repeats.summary)])
    heads = ["program", "metric", "mean", "lowest run", "highest run", "95 % interval"]
    print_table(heads, rows, console, left=2)
    for name, notes in missing.items():
        for note in notes:
            whose = f"{name}: " if len(found) > 1 else ""
            console.print(f"{whose}{note}", style="dim", highlight=False, markup=False)
    _explain(found, console)


def _explain(found: Mapping[str, "Repeats"], console: Console) -> None:
    """The questions and repeats, the cost of a question, the dollars paid, and the file with the whole report."""
    first = next(iter(found.values()))
    summary = first.summary
    seeds, asked = ", ".join(map(str, summary["seeds"])), say_count(max(summary["n"]), "question")
    times = f"{asked}, {say_count(summary['repeats'], 'time')}, with the seeds {seeds}"
    if any(
        not _is_whole(each.summary, metric) for each in found.values() for metric in each.summary["metrics"].values()
    ):
        times += "; n: the answers of all runs that went into a mean, where they are not all"
    console.print(times, style="dim", highlight=False)
    for name, repeats in found.items():
        summary = repeats.summary
        cost = f"{summary['calls']:.2f} calls and {summary['tokens']:,.0f} tokens a question"
        cost += "" if summary["usd"] == 0 else f" ({show_usd(summary['usd'])})"
        paid = "" if (calls := summary["paid_calls"]) is None else f", {say_count(calls, 'LM call')} paid"
        failed = sum(summary["n_error"])
        errors = f"{show_count(failed)} error{'' if failed == 1 else 's'}"
        console.print(f"{escape(name)}: {cost}{paid}, {errors}", highlight=False)
        if time := time_note(summary["timing"]):
            print_line(f"{name}: {time}, all runs together", console, style="dim")
    print_line(f"{first.folder}/summary.md has the whole report", console, style="dim")


def _cells(name: str, summary: "RepeatsSummary") -> list[str]:
    metric = summary["metrics"].get(name)
    if metric is None:
        return 4 * ["–"]
    numbers = (metric["mean"], metric["lowest"], metric["highest"])
    mean, lowest, highest = (show_number(name, number) for number in numbers)
    n = "" if _is_whole(summary, metric) else f"[dim] (n={metric['answers']:,})[/]"
    return [f"{mean}{n}", lowest, highest, interval(name, metric)]


def _is_whole(summary: "RepeatsSummary", metric: "RepeatedMetric") -> bool:
    """True if all answers of all runs went into the mean."""
    return metric["answers"] >= sum(summary["n"])
