"""How a comparison of runs looks in a terminal."""

from collections.abc import Sequence
from string import ascii_uppercase

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..evaluation import Comparison, Difference
from ..evaluation.comparison_table import surely_differs
from ..evaluation.report import SIMULATED, show_number, unit_of
from ..runtime import Paid, show_usd, token_count
from .results import SHOWN, short_usd

IDS = 8
"""Questions named for each kind of flip."""
MOST = len(ascii_uppercase)
"""Runs that can be compared at once."""


def show_comparison(comparisons: Sequence[Comparison], console: Console) -> None:
    """Two runs metric by metric; of more, a row for each run with its differences to the first."""
    if any(each.simulated for each in comparisons):
        console.print(f"[bold yellow]{SIMULATED}[/]")
    if len(comparisons) == 1:
        _show_two(comparisons[0], console)
    else:
        _show_many(comparisons, console)


def _show_many(comparisons: Sequence[Comparison], console: Console) -> None:
    first = comparisons[0]
    _show_names((first.names[0], *(each.names[1] for each in comparisons)), console)
    metrics = [name for name in SHOWN if name in first.metrics] or list(first.metrics)
    priced = any(usd != 0 for each in comparisons for usd in each.cost["usd"])
    table = Table("", *metrics, "calls", "tokens", *(["usd"] if priced else []), box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column is table.columns[0] else "right"
    means = [show_number(name, first.metrics[name].a) for name in metrics]
    table.add_row("A", *means, *_costs(first, 0, priced=priced))
    for letter, each in zip(ascii_uppercase[1:], comparisons, strict=False):
        table.add_row(letter, *(_with_change(each, name) for name in metrics), *_costs(each, 1, priced=priced))
    console.print(table)
    console.print(
        f"{first.n:,} questions that all answered; beside it the difference to A, bold where its 95 % interval "
        f"excludes 0; calls and tokens a question{_left_out(first, metrics)}",
        style="dim",
    )
    if first.unlike:
        console.print(f"measured by different rules, so not compared: {', '.join(first.unlike)}", style="yellow")
    for letter, each in zip(ascii_uppercase[1:], comparisons, strict=False):
        gained, lost = len(each.gained), len(each.lost)
        errors = f"; errors: {each.errors[1]:,}" if each.errors[1] else ""
        console.print(
            f"{letter}: right where A is wrong {gained:,}, wrong where A is right {lost:,}{errors}", highlight=False
        )
    if first.errors[0]:
        console.print(f"A: errors: {first.errors[0]:,}", highlight=False)


def _left_out(comparison: Comparison, metrics: Sequence[str]) -> str:
    others = [name for name in comparison.metrics if name not in metrics]
    return f"; --json and --to have {', '.join(others)} as well" if others else ""


def _with_change(comparison: Comparison, metric: str) -> str:
    scale, digits = unit_of(metric)
    change = f"{scale * comparison.metrics[metric].change.mean:+.{digits}f}"
    shown = f"[bold]{change}[/]" if surely_differs(comparison, metric) else f"[dim]{change}[/]"
    return f"{show_number(metric, comparison.metrics[metric].b)} {shown}"


def _costs(comparison: Comparison, which: int, *, priced: bool) -> tuple[str, ...]:
    """Calls, tokens and, where an LM is paid in dollars, dollars."""
    calls, tokens, usd = (comparison.cost[what][which] for what in ("calls", "tokens", "usd"))
    return f"{calls:,.2f}", f"{tokens:,.0f}", *([short_usd(usd)] if priced else [])


def _show_names(names: Sequence[str], console: Console) -> None:
    for letter, name in zip(ascii_uppercase, names, strict=False):  # a head would wrap them
        console.print(f"[bold]{letter}[/]: {escape(name)}", soft_wrap=True, highlight=False)


def _show_two(comparison: Comparison, console: Console) -> None:
    """A table with a row for each metric, the questions that flipped, and what each run cost."""
    _show_names(comparison.names, console)
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
        ratio = f"{of_b / of_a:.2f} x" if of_a and of_b is not None else "–"
        if what != "usd":
            console.print(f"{what} a question: {of_a:,.2f} and {of_b:,.2f} ({ratio})", highlight=False)
        elif of_a != 0 or of_b != 0:
            console.print(f"dollars a question: {short_usd(of_a)} and {short_usd(of_b)} ({ratio})", highlight=False)
    bills = [paid for paid in comparison.paid if paid is not None]
    if len(bills) == len(comparison.paid):
        console.print(
            f"paid: {' and '.join(map(_paid, bills))}; the rest came from the cache",
            style="dim",
            highlight=False,
        )


def _paid(bill: Paid) -> str:
    dollars = "" if (usd := bill.get("usd", 0)) == 0 else f", {show_usd(usd)}"
    return f"{bill['calls']:,} calls, {token_count(bill['tokens']):,} tokens{dollars}"


def _difference(name: str, difference: Difference) -> list[str]:
    scale, digits = unit_of(name)
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
