"""How finished runs and their comparison look in a terminal."""

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..evaluation import Comparison, Evaluation
from ..evaluation.report import SIMULATED

if TYPE_CHECKING:
    from ..evaluation import Difference
    from ..optimize import Study

SHOWN = ("em", "f1", "recall@5")
IDS = 8
"""Questions named for each kind of flip."""


def show_results(runs: dict[str, Evaluation], console: Console) -> None:
    """A table with a row for each run, and where their files are."""
    summaries = {name: run.summary for name, run in runs.items()}
    metrics = [name for name in SHOWN if any(name in summary["metrics"] for summary in summaries.values())]
    table = Table("program", *metrics, "calls", "tokens", "errors", box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    for name, summary in summaries.items():
        tokens = sum(sum(spent.values()) for spent in summary["cost"]["tokens"].values())
        table.add_row(
            f"[bold]{escape(name)}[/]",
            *(_metric(summary["metrics"].get(metric)) for metric in metrics),
            f"{summary['cost']['calls']['mean']:.2f}",
            f"{tokens / max(1, summary['n']):,.0f}",
            f"[red]{summary['n_error']:,}[/]" if summary["n_error"] else "0",
        )
    if any(summary["simulated"] for summary in summaries.values()):
        console.print(f"[bold yellow]{SIMULATED}[/]")
    console.print(table)
    first = next(iter(runs.values()))
    console.print(
        f"{first.summary['n']:,} questions; ± is half the 95 % interval; calls and tokens a question", style="dim"
    )
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
        console.print(f"stopped at {study.calls:,} LM calls; not finished: {', '.join(study.skipped)}", style="yellow")
    console.print(f"{study.best} is saved in {study.artefact}", soft_wrap=True, highlight=False)


def show_comparison(comparison: Comparison, console: Console) -> None:
    """A table with a row for each metric, the questions that flipped, and what each run cost."""
    a, b = (escape(name) for name in comparison.names)
    if comparison.simulated:
        console.print(f"[bold yellow]{SIMULATED}[/]")
    table = Table("metric", f"A: {a}", f"B: {b}", "B - A", "95 % interval", "p", box=SIMPLE, pad_edge=False)
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
    for what, flipped in (("wrong in A, right in B", comparison.gained), ("right in A, wrong in B", comparison.lost)):
        named = ", ".join(flipped[:IDS]) + (" …" if len(flipped) > IDS else "")
        console.print(f"{what}: {len(flipped):,}" + (f"  [dim]{escape(named)}[/]" if flipped else ""), highlight=False)
    for what, (of_a, of_b) in comparison.cost.items():
        ratio = f"{of_b / of_a:.2f} x" if of_a else "–"
        console.print(f"{what} a question: {of_a:,.2f} and {of_b:,.2f} ({ratio})", highlight=False)


def _metric(metric: dict[str, float] | None) -> str:
    if metric is None:
        return "–"
    return f"{100 * metric['mean']:.1f}[dim]±{50 * (metric['high'] - metric['low']):.1f}[/]"


def _difference(name: str, difference: "Difference") -> list[str]:
    scale, digits = (1, 2) if name == "K" else (100, 1)
    change = difference.change
    sure = change.low > 0 or change.high < 0
    mean = f"{scale * change.mean:+.{digits}f}"
    return [
        f"{scale * difference.a:.{digits}f}",
        f"{scale * difference.b:.{digits}f}",
        f"[bold]{mean}[/]" if sure else mean,
        f"{scale * change.low:+.{digits}f} … {scale * change.high:+.{digits}f}",
        f"{difference.p_value:.3f}" if difference.p_value >= 0.001 else "<0.001",
    ]
