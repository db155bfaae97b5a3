"""A comparison of runs in a terminal."""

from collections.abc import Sequence
from string import ascii_uppercase

from rich.console import Console
from rich.markup import escape

from ..base.texts import say_count
from ..evaluation import Comparison, Difference
from ..evaluation.comparison_table import comparable_metrics, comparison_notes, main_metrics, surely_differs
from ..evaluation.report import run_time_note, show_n, show_number, unit_of
from ..runtime import Paid, show_usd, token_count
from .output import print_table
from .show_results import N_NOTE, short_usd
from .show_run import list_ids

MOST = len(ascii_uppercase)
"""Runs that can be compared at once."""
WIDEST = 100
"""Columns of the terminal that a list of questions takes at most."""


def show_comparison(
    comparisons: Sequence[Comparison], console: Console, *, metrics: Sequence[str] | None = None
) -> None:
    """Two runs metric by metric; of more, a row for each run with its differences to the first.

    Args:
        comparisons: What `compare_with_first` found.
        console: Where it is printed.
        metrics: The metrics that are shown, in this order.

    Raises:
        InputError: The runs do not share a metric that was chosen.
    """
    names = comparable_metrics(comparisons, metrics)
    if metrics is None and len(comparisons) > 1:
        names = main_metrics(comparisons)
    for letter, each, which in _sides(comparisons):
        for note in comparison_notes(letter, each, which):
            console.print(note, style="yellow", highlight=False, markup=False)
    for letter, each, which in _sides(comparisons):  # a head would wrap them
        console.print(f"[bold]{letter}[/]: {escape(each.names[which])}", soft_wrap=True, highlight=False)
    if len(comparisons) == 1:
        _show_two(comparisons[0], names, console)
    else:
        _show_many(comparisons, names, console)


def _sides(comparisons: Sequence[Comparison]) -> list[tuple[str, Comparison, int]]:
    """Each run's letter, the comparison that it is in, and its place there."""
    sides = [(comparisons[0], 0), *((each, 1) for each in comparisons)]
    return [(letter, each, which) for letter, (each, which) in zip(ascii_uppercase, sides, strict=False)]


def _show_many(comparisons: Sequence[Comparison], metrics: Sequence[str], console: Console) -> None:
    first = comparisons[0]
    priced = any(usd != 0 for each in comparisons for usd in each.cost["usd"])
    rows = [
        [letter, *(_mean(each, name, which) for name in metrics), *_costs(each, which, priced=priced)]
        for letter, each, which in _sides(comparisons)
    ]
    print_table(["", *map(escape, metrics), "calls", "tokens", *(["usd"] if priced else [])], rows, console)
    console.print(
        f"{say_count(first.n, 'question')} that all answered; beside it the difference to A, bold where its 95 % "
        f"interval excludes 0; calls and tokens a question{_n_note(comparisons, metrics)}"
        f"{_left_out(comparisons, metrics)}",
        style="dim",
        highlight=False,
    )
    if first.unlike:
        console.print(f"measured by different rules, so not compared: {', '.join(first.unlike)}", style="yellow")
    for letter, each, which in _sides(comparisons):
        flips = f"right where A is wrong {len(each.gained):,}, wrong where A is right {len(each.lost):,}"
        parts = [flips] if which else []
        parts += [f"errors: {each.errors[which]:,}"] if each.errors[which] else []
        if parts:
            console.print(f"{letter}: {'; '.join(parts)}", highlight=False)
    for letter, each, which in _sides(comparisons):
        seconds, run_time = each.cost["seconds"][which], run_time_note(each.timing[which])
        parts = [] if seconds is None else [f"a question takes {seconds:.2f} s beside others"]
        parts += [run_time] if run_time else []
        console.print(f"{letter}: {'; '.join(parts)}", style="dim", highlight=False, soft_wrap=True)


def _left_out(comparisons: Sequence[Comparison], metrics: Sequence[str]) -> str:
    others = [name for name in comparable_metrics(comparisons) if name not in metrics]
    return f"; --metric NAME shows another one of {', '.join(others)}" if others else ""


def _n_note(comparisons: Sequence[Comparison], metrics: Sequence[str]) -> str:
    shown = [(found.change.n, each.n) for each in comparisons for name in metrics if (found := each.metrics.get(name))]
    return f"; {N_NOTE}" if any(n < asked for n, asked in shown) else ""


def _mean(comparison: Comparison, metric: str, which: int) -> str:
    """A run's mean, with the difference to the first run, and the n where it is not all questions."""
    found = comparison.metrics.get(metric)
    if found is None:
        return "–"
    n = f"[dim]{show_n(found.change.n, comparison.n)}[/]"
    if which == 0:
        return f"{show_number(metric, found.a)}{n}"
    scale, digits = unit_of(metric)
    change = f"{scale * found.change.mean:+.{digits}f}"
    shown = f"[bold]{change}[/]" if surely_differs(comparison, metric) else f"[dim]{change}[/]"
    return f"{show_number(metric, found.b)} {shown}{n}"


def _costs(comparison: Comparison, which: int, *, priced: bool) -> tuple[str, ...]:
    """Calls, tokens and, where an LM is paid in dollars, dollars."""
    calls, tokens, usd = (comparison.cost[what][which] for what in ("calls", "tokens", "usd"))
    return f"{calls:,.2f}", f"{tokens:,.0f}", *([short_usd(usd)] if priced else [])


def _show_two(comparison: Comparison, metrics: Sequence[str], console: Console) -> None:
    """A table with a row for each metric, the questions that flipped, and what each run cost."""
    rows = []
    for name in metrics:
        found = comparison.metrics.get(name)
        n = "" if found is None else f"[dim]{show_n(found.change.n, comparison.n)}[/]"
        rows.append([f"{escape(name)}{n}", *(["–"] * 5 if found is None else _difference(name, found))])
    print_table(["metric", "A", "B", "B - A", "95 % interval", "p"], rows, console)
    console.print(
        f"{say_count(comparison.n, 'question')} in common; {comparison.only[0]:,} only in A, "
        f"{comparison.only[1]:,} only in B{_n_note([comparison], metrics)}"
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
    """The number of questions that only one of the runs gets right, and the ids of the first few."""
    for what, flipped in (("wrong in A, right in B", comparison.gained), ("right in A, wrong in B", comparison.lost)):
        head = f"{what}: {len(flipped):,}"
        ids = list_ids(flipped, min(console.width, WIDEST) - len(head) - 2) if flipped else ""
        console.print(f"{head}  [dim]{escape(ids)}[/]" if ids else head, highlight=False, soft_wrap=True)


def _show_costs(comparison: Comparison, console: Console) -> None:
    """The cost of a question in each run, the time that the runs took, and the dollars that they paid."""
    heads = {"seconds": "seconds a question", "usd": "dollars a question"}
    for what, (of_a, of_b) in comparison.cost.items():
        ratio = f"{of_b / of_a:.2f} x" if of_a and of_b is not None else "–"
        head = heads.get(what, f"{what} a question")
        if what != "usd":
            console.print(f"{head}: {of_a:,.2f} and {of_b:,.2f} ({ratio})", highlight=False)
        elif of_a != 0 or of_b != 0:
            console.print(f"{head}: {short_usd(of_a)} and {short_usd(of_b)} ({ratio})", highlight=False)
    for letter, timing in zip("AB", comparison.timing, strict=True):
        if run_time := run_time_note(timing):
            console.print(f"{letter}: {run_time}", highlight=False)
    bills = [paid for paid in comparison.paid if paid is not None]
    if len(bills) == len(comparison.paid):
        rest = "; the rest came from the cache" if any(comparison.cached) else ""
        console.print(f"paid: {' and '.join(map(_paid, bills))}{rest}", style="dim", highlight=False)


def _paid(bill: Paid) -> str:
    dollars = "" if (usd := bill.get("usd", 0)) == 0 else f", {show_usd(usd)}"
    return f"{say_count(bill['calls'], 'call')}, {say_count(token_count(bill['tokens']), 'token')}{dollars}"


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
