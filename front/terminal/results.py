"""How finished runs and studies look in a terminal."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..evaluation import Evaluation
from ..evaluation.report import SIMULATED, paid_line, recall_note, unit_of
from ..evaluation.summary import usd_a_question
from ..runtime import show_usd, token_count

if TYPE_CHECKING:
    from ..evaluation.summary import Interval, Summary
    from ..optimize import Study

SHOWN = ("em", "f1", "recall@5")


def show_results(runs: dict[str, Evaluation], console: Console, *, further: Iterable[str] = ()) -> None:
    """A table with a row for each run, and where their files are; with the metrics that were asked for besides."""
    summaries = {name: run.summary for name, run in runs.items()}
    notes = {name: note for name, summary in summaries.items() if (note := recall_note(summary))}
    shown = [name for name in SHOWN if _has_column(name, summaries.values(), notes)]
    metrics = list(dict.fromkeys((*shown, *further)))
    unparsed = any(summary["cost"]["parse_failures"] for summary in summaries.values())
    if any(summary["simulated"] for summary in summaries.values()):
        console.print(f"[bold yellow]{SIMULATED}[/]")
    console.print(_results_table(summaries, metrics, unparsed=unparsed))
    _explain_results(runs, notes, console, unparsed=unparsed)


def _results_table(summaries: "dict[str, Summary]", metrics: Sequence[str], *, unparsed: bool) -> Table:
    """A row for each run; what could not be parsed has a column where there is any."""
    priced = any(summary["cost"].get("usd", 0) != 0 for summary in summaries.values())
    dollars = ["usd"] if priced else []
    heads = ("program", *metrics, "calls", "tokens", *dollars, *(["unparsed"] if unparsed else []), "errors")
    table = Table(*heads, box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    for name, summary in summaries.items():
        cost = summary["cost"]
        about = "~" if cost.get("estimated") else ""
        table.add_row(
            f"[bold]{escape(name)}[/]",
            *(_metric(metric, summary["metrics"].get(metric)) for metric in metrics),
            f"{cost['calls']['mean']:.2f}",
            f"{about}{token_count(cost['tokens']) / max(1, summary['n']):,.0f}",
            *([short_usd(usd_a_question(summary))] if priced else []),
            *([show_count(cost["parse_failures"])] if unparsed else []),
            show_count(summary["n_error"]),
        )
    return table


def _explain_results(runs: dict[str, Evaluation], notes: dict[str, str], console: Console, *, unparsed: bool) -> None:
    """What the table's figures mean, what was paid, and where the whole report is."""
    first = next(iter(runs.values()))
    console.print(
        f"{first.summary['n']:,} questions; ± is half the 95 % interval; calls and tokens a question", style="dim"
    )
    if unparsed:
        console.print("unparsed: completions that could not be parsed, in all", style="dim")
    for note in dict.fromkeys(notes.values()):
        of = [name for name in notes if notes[name] == note]
        whose = "" if len(of) == len(runs) else f"{' and '.join(of)}: "
        console.print(f"{whose}{note}", style="dim", highlight=False, markup=False)
    console.print(paid_line(*(run.summary for run in runs.values())), style="dim", highlight=False, markup=False)
    if first.keep is None:
        console.print(f"{first.folder}/summary.md has the whole report", style="dim", soft_wrap=True, highlight=False)


def show_study(study: "Study", questions: int, console: Console) -> None:
    """A table with a row for each variant, and where the best is."""
    priced = any(outcome.usd != 0 for outcome in study.outcomes)
    dollars = ["usd"] if priced else []
    table = Table("variant", "f1", "em", "calls", "tokens", *dollars, "to compile", box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    for outcome in study.outcomes:
        best = outcome.variant == study.best
        table.add_row(
            f"[bold green]{escape(outcome.variant)}[/]" if best else escape(outcome.variant),
            _metric("f1", outcome.f1),
            _metric("em", outcome.em),
            f"{outcome.calls:.2f}",
            f"{outcome.tokens:,.0f}",
            *([short_usd(outcome.usd)] if priced else []),
            f"{outcome.compile_calls:,}",
        )
    console.print(table)
    console.print(
        f"{questions:,} dev questions; ± is half the 95 % interval; calls and tokens a question; "
        f"the best has the highest F1, then the fewest calls",
        style="dim",
    )
    if study.stopped:
        console.print(
            f"stopped at {study.calls_in_all:,} LM calls in all; not finished: {', '.join(study.skipped)}",
            style="yellow",
        )
    console.print(f"{study.best} is saved in {study.artefact}", soft_wrap=True, highlight=False)
    if voters := next((outcome.voters for outcome in study.outcomes if outcome.voters), ()):
        console.print(
            f"the ensemble is a vote of {len(voters)} programs, which no one file holds: load them from "
            f"{study.artefact}.work/variants and give them to dspy.Ensemble(reduce_fn=dspy.majority)",
            soft_wrap=True,
            highlight=False,
        )


def _has_column(name: str, summaries: "Iterable[Summary]", notes: dict[str, str]) -> bool:
    """Whether a metric has a column: any run has the figure, or says why it has none."""
    return any(name in summary["metrics"] for summary in summaries) or (name.startswith("recall") and bool(notes))


def short_usd(usd: float | None) -> str:
    """Dollars for a cell of a table."""
    return "unknown" if usd is None else show_usd(usd)


def show_count(count: int) -> str:
    """A number of failures, in red where there are any."""
    return f"[red]{count:,}[/]" if count else "0"


def _metric(name: str, metric: "Interval | None") -> str:
    if metric is None:
        return "–"
    scale, digits = unit_of(name)
    half = (metric["high"] - metric["low"]) / 2
    return f"{scale * metric['mean']:.{digits}f}[dim]±{scale * half:.{digits}f}[/]"
