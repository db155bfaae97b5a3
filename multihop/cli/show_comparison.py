"""A comparison of runs in a terminal, and a choice among them."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from rich.console import Console
from rich.markup import escape

from ..base.english import refuses
from ..base.texts import say_count
from ..evaluation import Comparison, Difference, Evaluation
from ..evaluation.comparison_table import comparable_metrics, comparison_notes, is_sure, main_metrics
from ..evaluation.report import run_time_note, show_n, show_number, unit_of
from ..optimize.outcomes import f1_difference, program_to_take
from ..runtime import show_usd, token_count
from .output import print_note, print_table
from .show_results import N_NOTE, list_ids, short_usd

MOST = len(ascii_uppercase)
"""Runs that can be compared at once."""
WIDEST = 100
"""Columns of the terminal that a list of questions takes at most."""
Side = tuple[str, Comparison, int]
"""A run's letter, the comparison that it is in, and its place there."""


def show_comparison(
    comparisons: Sequence[Comparison], console: Console, *, metrics: Sequence[str] | None = None
) -> None:
    """Two runs metric by metric; of more, a row for each run with its differences to the first."""
    names = comparable_metrics(comparisons, metrics)
    if metrics is None and len(comparisons) > 1:
        names = main_metrics(comparisons)
    runs = [(comparisons[0], 0), *((each, 1) for each in comparisons)]
    sides: list[Side] = [(letter, each, which) for letter, (each, which) in zip(ascii_uppercase, runs, strict=False)]
    for side in sides:
        for note in comparison_notes(*side):
            print_note(note, console, style="yellow")
    for letter, each, which in sides:  # a head would wrap them
        console.print(f"[bold]{letter}[/]: {escape(each.names[which])}", soft_wrap=True, highlight=False)
    if len(comparisons) == 1:
        _show_two(comparisons[0], names, console)
    else:
        _show_many(sides, names, console)
    if unlike := comparisons[0].unlike:
        print_note(f"measured by different rules, so not compared: {', '.join(unlike)}", console, style="yellow")
    for side in sides:
        print_note(f"{side[0]}: {'; '.join(_about_run(*side))}", console)


def _show_two(comparison: Comparison, metrics: Sequence[str], console: Console) -> None:
    """A table with a row for each metric and for each cost, and the questions that flipped."""
    rows = []
    for name in metrics:
        found = comparison.metrics.get(name)
        n = "" if found is None else f"[dim]{show_n(found.change.n, comparison.n)}[/]"
        rows.append([f"{escape(name)}{n}", *(["–"] * 5 if found is None else _difference(name, found))])
    for what, (of_a, of_b) in comparison.cost.items():
        if what != "seconds" and (what != "usd" or of_a != 0 or of_b != 0):  # each run tells its own seconds
            ratio = f"{of_b / of_a:.2f} x" if of_a and of_b is not None else "–"
            rows.append([f"{what} a question", _cost(what, of_a), _cost(what, of_b), ratio, "", ""])
    print_table(["metric", "A", "B", "B - A", "95 % interval", "p"], rows, console)
    console.print(
        f"{say_count(comparison.n, 'question')} in common; {comparison.only[0]:,} only in A, "
        f"{comparison.only[1]:,} only in B{_n_note([comparison], metrics)}"
    )
    for what, flipped in (("wrong in A, right in B", comparison.gained), ("right in A, wrong in B", comparison.lost)):
        head = f"{what}: {len(flipped):,}"
        ids = list_ids(flipped, min(console.width, WIDEST) - len(head) - 2)
        console.print(f"{head}  [dim]{escape(ids)}[/]" if ids else head, highlight=False, soft_wrap=True)


def _show_many(sides: Sequence[Side], metrics: Sequence[str], console: Console) -> None:
    """A table with a row for each run, each metric with its difference to the first."""
    comparisons = [each for _, each, _ in sides[1:]]
    costs = ["calls", "tokens"]
    if any(usd != 0 for each in comparisons for usd in each.cost["usd"]):
        costs.append("usd")
    rows = []
    for letter, each, which in sides:
        means = (_mean(each, name, which) for name in metrics)
        rows.append([letter, *means, *(_cost(what, each.cost[what][which]) for what in costs)])
    print_table(["", *map(escape, metrics), *costs], rows, console)
    others = ", ".join(name for name in comparable_metrics(comparisons) if name not in metrics)
    print_note(
        f"{say_count(comparisons[0].n, 'question')} that all answered; beside it the difference to A, bold where its "
        f"95 % interval excludes 0; calls and tokens a question{_n_note(comparisons, metrics)}"
        f"{f'; --metric NAME shows another one of {others}' if others else ''}",
        console,
    )


def show_choice(runs: Mapping[str, Evaluation], console: Console) -> None:
    """Advice on which program to take, and how sure it is: by how much the highest leads each other."""
    chosen = program_to_take(runs)
    if chosen is None:
        counts = {name: [refuses(row.get("answer") or "") for row in run.rows()] for name, run in runs.items()}
        unanswered = ", ".join(f"{name} {sum(each):,} of {len(each):,}" for name, each in counts.items())
        told = "fewer than five answers are known, or none is right, so nothing says which to take"
        print_note(f"{told}; not answered: {unanswered}", console, style="yellow")
        return
    (take, best), asked = (each.variant for each in chosen), say_count(chosen[1].n, "question")
    why = f"about the fewest tokens of those that {asked} cannot tell from {best}, the highest F1 of {len(runs)}"
    why = f"the highest F1 of {len(runs)}" if take == best else why
    console.print(f"take {take}: {why}", style="bold", highlight=False, markup=False)
    tokens = {name: token_count(run.summary["cost"]["tokens"]) for name, run in runs.items()}
    for name in (each for each in runs if each != best):
        found = f1_difference(runs[name].folder, runs[best].folder)
        asked, fewer, more = say_count(found.change.n, "question"), *sorted((best, name), key=tokens.__getitem__)
        told = f"{best} beats {name}" if is_sure(found) else f"{asked} do not tell {best} from {name}"
        *_, change, interval, p_value = _difference("f1", found)
        costs = f"{more} takes {tokens[more] / max(1, tokens[fewer]):.1f} x the tokens"
        line = f"{escape(told)}: F1 {change}, 95 % interval {interval}, p = {p_value}; {escape(costs)}"
        console.print(line, style="dim", highlight=False)


def _about_run(letter: str, comparison: Comparison, which: int) -> list[str]:
    """The facts that set a run apart, and its cost."""
    parts = []
    if which:
        gained, lost = len(comparison.gained), len(comparison.lost)
        parts.append(f"right where A is wrong {gained:,}, wrong where A is right {lost:,}")
    errors, seconds = comparison.errors[which], comparison.cost["seconds"][which]
    parts.append(f"errors: {errors:,}" if errors else "")
    parts.append(comparison.recall[which] or "")
    parts.append("" if seconds is None else f"a question takes {seconds:.2f} s beside others")
    parts.append(run_time_note(comparison.timing[which]) or "")
    if bill := comparison.paid[which]:
        usd = bill.get("usd", 0)
        dollars = "" if usd == 0 else f", {show_usd(usd)}"
        rest = "; the rest came from the cache" if comparison.cached[which] else ""
        tokens = say_count(token_count(bill["tokens"]), "token")
        parts.append(f"paid: {say_count(bill['calls'], 'call')}, {tokens}{dollars}{rest}")
    return list(filter(None, parts))


def _n_note(comparisons: Sequence[Comparison], metrics: Sequence[str]) -> str:
    shown = [(found.change.n, each.n) for each in comparisons for name in metrics if (found := each.metrics.get(name))]
    return f"; {N_NOTE}" if any(n < asked for n, asked in shown) else ""


def _cost(what: str, value: float | None) -> str:
    if what == "usd":
        return short_usd(value)
    return "–" if value is None else f"{value:,.0f}" if what == "tokens" else f"{value:,.2f}"


def _mean(comparison: Comparison, metric: str, which: int) -> str:
    """A run's mean, with the difference to the first run, and the n where it is not all questions."""
    found = comparison.metrics.get(metric)
    if found is None:
        return "–"
    n = f"[dim]{show_n(found.change.n, comparison.n)}[/]"
    if which == 0:
        return f"{show_number(metric, found.a)}{n}"
    style = "bold" if is_sure(found) else "dim"
    return f"{show_number(metric, found.b)} [{style}]{_signed(metric, found.change.mean)}[/]{n}"


def _difference(name: str, difference: Difference) -> list[str]:
    change, p_value = difference.change, difference.p_value
    mean, *ends = (_signed(name, value) for value in change[:3] if value is not None)
    return [
        show_number(name, difference.a),
        show_number(name, difference.b),
        f"[bold]{mean}[/]" if is_sure(difference) else mean,
        " … ".join(ends) or "–",
        "–" if p_value is None else f"{p_value:.3f}" if p_value >= 0.001 else "<0.001",
    ]


def _signed(metric: str, value: float) -> str:
    scale, digits = unit_of(metric)
    return f"{scale * value:+.{digits}f}"
