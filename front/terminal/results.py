"""How finished runs and their comparison look in a terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..evaluation import Comparison, Evaluation
from ..evaluation.report import SIMULATED, paid_line, recall_note
from ..runtime import token_count

if TYPE_CHECKING:
    from ..evaluation import Difference
    from ..evaluation.summary import Interval, Summary
    from ..optimize import Study

SHOWN = ("em", "f1", "recall@5")
IDS = 8
"""Questions named for each kind of flip."""


def show_results(runs: dict[str, Evaluation], console: Console, *, further: Iterable[str] = ()) -> None:
    """A table with a row for each run, and where their files are; with the metrics that were asked for besides."""
    summaries = {name: run.summary for name, run in runs.items()}
    notes = {name: note for name, summary in summaries.items() if (note := recall_note(summary))}
    metrics = [name for name in dict.fromkeys((*SHOWN, *further)) if _has_column(name, summaries.values(), notes)]
    unparsed = ("unparsed",) if any(summary["cost"]["parse_failures"] for summary in summaries.values()) else ()
    table = Table("program", *metrics, "calls", "tokens", *unparsed, "errors", box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    for name, summary in summaries.items():
        tokens = token_count(summary["cost"]["tokens"])
        about = "~" if summary["cost"].get("estimated") else ""
        table.add_row(
            f"[bold]{escape(name)}[/]",
            *(_metric(summary["metrics"].get(metric)) for metric in metrics),
            f"{summary['cost']['calls']['mean']:.2f}",
            f"{about}{tokens / max(1, summary['n']):,.0f}",
            *(_alarming(summary["cost"]["parse_failures"]) for _ in unparsed),
            _alarming(summary["n_error"]),
        )
    if any(summary["simulated"] for summary in summaries.values()):
        console.print(f"[bold yellow]{SIMULATED}[/]")
    console.print(table)
    _explain_results(runs, notes, console, unparsed=bool(unparsed))


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
    table = Table("variant", "f1", "em", "calls", "tokens", "to compile", box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    for outcome in study.outcomes:
        best = outcome.variant == study.best
        table.add_row(
            f"[bold green]{escape(outcome.variant)}[/]" if best else escape(outcome.variant),
            _metric(outcome.f1),
            _metric(outcome.em),
            f"{outcome.calls:.2f}",
            f"{outcome.tokens:,.0f}",
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


def show_comparison(comparison: Comparison, console: Console) -> None:
    """A table with a row for each metric, the questions that flipped, and what each run cost."""
    if comparison.simulated:
        console.print(f"[bold yellow]{SIMULATED}[/]")
    for letter, name in zip("AB", comparison.names, strict=True):  # a head would wrap them
        console.print(f"[bold]{letter}[/]: {escape(name)}", soft_wrap=True, highlight=False)
    table = Table("metric", "A", "B", "B - A", "95 % interval", "p", box=SIMPLE, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, difference in comparison.metrics.items():
        table.add_row(name, *_difference(name, difference))
    console.print(table)
    console.print(
        f"{comparison.n:,} questions in common; {comparison.only[0]:,} only in A, {comparison.only[1]:,} only in B"
    )
    if any(comparison.errors):
        console.print(f"errors: {comparison.errors[0]:,} in A, {comparison.errors[1]:,} in B", style="red")
    if comparison.unlike:
        console.print(f"measured by different rules, so not compared: {', '.join(comparison.unlike)}", style="yellow")
    for run, note in zip("AB", comparison.recall, strict=True):
        if note:
            console.print(f"{run}: {note}", style="dim", highlight=False)
    _show_flipped(comparison, console)
    _show_costs(comparison, console)


def _show_flipped(comparison: Comparison, console: Console) -> None:
    """How many questions only one of the runs gets right, and the ids of the first few."""
    for what, flipped in (("wrong in A, right in B", comparison.gained), ("right in A, wrong in B", comparison.lost)):
        ids = ", ".join(flipped[:IDS]) + (" …" if len(flipped) > IDS else "")
        console.print(f"{what}: {len(flipped):,}" + (f"  [dim]{escape(ids)}[/]" if flipped else ""), highlight=False)


def _show_costs(comparison: Comparison, console: Console) -> None:
    """What a question cost in each run, and what the runs paid."""
    for what, (of_a, of_b) in comparison.cost.items():
        ratio = f"{of_b / of_a:.2f} x" if of_a else "–"
        console.print(f"{what} a question: {of_a:,.2f} and {of_b:,.2f} ({ratio})", highlight=False)
    bills = [paid for paid in comparison.paid if paid is not None]
    if len(bills) == len(comparison.paid):
        calls, tokens = zip(*((paid["calls"], token_count(paid["tokens"])) for paid in bills), strict=True)
        console.print(
            f"paid: {calls[0]:,} calls, {tokens[0]:,} tokens and {calls[1]:,} calls, {tokens[1]:,} tokens; "
            "the rest came from the cache",
            style="dim",
            highlight=False,
        )


def _has_column(name: str, summaries: "Iterable[Summary]", notes: dict[str, str]) -> bool:
    """Whether a metric has a column: any run has the figure, or says why it has none."""
    return any(name in summary["metrics"] for summary in summaries) or (name.startswith("recall") and bool(notes))


def _alarming(count: int) -> str:
    return f"[red]{count:,}[/]" if count else "0"


def _metric(metric: "Interval | None") -> str:
    if metric is None:
        return "–"
    return f"{100 * metric['mean']:.1f}[dim]±{50 * (metric['high'] - metric['low']):.1f}[/]"


def _difference(name: str, difference: "Difference") -> list[str]:
    scale, digits = (1, 2) if name == "K" else (100, 1)
    change = difference.change
    sure, p_value = change.low > 0 or change.high < 0, difference.p_value
    mean = f"{scale * change.mean:+.{digits}f}"
    return [
        f"{scale * difference.a:.{digits}f}",
        f"{scale * difference.b:.{digits}f}",
        f"[bold]{mean}[/]" if sure and p_value is not None else mean,
        f"{scale * change.low:+.{digits}f} … {scale * change.high:+.{digits}f}",
        "–" if p_value is None else f"{p_value:.3f}" if p_value >= 0.001 else "<0.001",
    ]
