"""A comparison as a table for other programs and for papers: a row for each run, as CSV, LaTeX or JSON."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import ujson

from ..base import check_known
from ..base.texts import say_count
from .comparison import COSTS, Comparison, Difference
from .metrics.named import DEFAULT, MAIN
from .report import budget_note, gap_notes, run_time_note, show_n, show_number, taught_note
from .statistics import excludes_zero

TableFormat = Literal["csv", "latex", "json"]
Cell = str | int | float | None
_HEADS = {"em": "EM", "f1": "F1", "calls": "Calls", "tokens": "Tokens", "seconds": "Seconds", "usd": "USD"}
_FORMULA = tuple("=+-@＝＋－＠")
"""Signs with which formulas begin in spreadsheets."""
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def comparison_table(comparisons: Sequence[Comparison], form: TableFormat, metrics: Sequence[str] | None = None) -> str:
    """Runs that were compared with the first one, as the text of a file."""
    writers = {"csv": _csv, "latex": _latex, "json": _json}
    check_known("format of a table", form, get_args(TableFormat))
    return writers[form](comparisons, metrics)


def comparable_metrics(comparisons: Sequence[Comparison], chosen: Sequence[str] | None = None) -> list[str]:
    """The metrics that were chosen, or all that the runs share, also those that failed on every answer of a run."""
    found = [name for each in comparisons for name in (*each.metrics, *each.unmeasured[0], *each.unmeasured[1])]
    there = [name for name in dict.fromkeys(found) if name not in comparisons[0].unlike]
    for name in chosen or ():
        check_known("metric of all these runs", name, there)
    return there if chosen is None else list(dict.fromkeys(chosen))


def main_metrics(comparisons: Sequence[Comparison]) -> list[str]:
    """Exact match, F1, recall@5, and what was asked for beyond what every run measures."""
    there = comparable_metrics(comparisons)
    return [*(name for name in MAIN if name in there), *(name for name in there if name not in DEFAULT)] or there


def comparison_rows(comparisons: Sequence[Comparison], metrics: Sequence[str] | None = None) -> list[dict[str, Cell]]:
    """A row for each run, the first one's without differences."""
    names = comparable_metrics(comparisons, metrics)
    rows: list[dict[str, Cell]] = [_row(comparisons[0], 0, names)]
    return [*rows, *(_row(each, 1, names) for each in comparisons)]


def _row(comparison: Comparison, which: int, names: Sequence[str]) -> dict[str, Cell]:
    row: dict[str, Cell] = {"run": comparison.names[which], "questions": comparison.n}
    for name in names:
        found = comparison.metrics.get(name)
        row[name] = None if found is None else (found.a, found.b)[which]
        row[f"{name} n"] = 0 if found is None else found.change.n
        if failed := comparison.unmeasured[which].get(name):
            row[f"{name} failed"] = failed
        if which and found is not None:
            row[f"{name} difference"] = found.change.mean
            row[f"{name} low"], row[f"{name} high"] = found.change.low, found.change.high
            row[f"{name} p"] = found.p_value
    row |= {what: both[which] for what, both in comparison.cost.items()}
    row["cut short"], timing = comparison.over_budget[which], comparison.timing[which]
    return {**row, "run time seconds": timing["run_seconds"], "questions a minute": timing["per_minute"]}


def is_sure(difference: Difference) -> bool:
    """True if the 95 % interval of the difference excludes 0; never for what is no measure of quality."""
    return difference.p_value is not None and excludes_zero(difference.change)


def _as_cell(value: Cell) -> Cell:
    """A text in one line, which no spreadsheet takes for a formula; numbers stay."""
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return f"'{line}" if line.startswith(_FORMULA) else line


def _csv(comparisons: Sequence[Comparison], metrics: Sequence[str] | None) -> str:
    rows = comparison_rows(comparisons, metrics)
    columns = dict.fromkeys(column for row in reversed(rows) for column in row)  # the first run has no differences
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_as_cell, columns))
    writer.writerows([_as_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def _json(comparisons: Sequence[Comparison], metrics: Sequence[str] | None) -> str:
    rows = comparison_rows(comparisons, metrics)
    return ujson.dumps(rows, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n"


def _latex(comparisons: Sequence[Comparison], metrics: Sequence[str] | None) -> str:
    """A table that needs the package booktabs."""
    first = comparisons[0]
    names = main_metrics(comparisons) if metrics is None else comparable_metrics(comparisons, metrics)
    # without dollars where no LM is paid in them
    costs = [
        what for what in COSTS if what != "usd" or any(each.cost.get("usd", (0, 0)) != (0, 0) for each in comparisons)
    ]
    heads = ["", *(_HEADS.get(name, name) for name in (*names, *costs))]
    sides = [(first, 0), *((each, 1) for each in comparisons)]
    lines = [
        [each.names[which], *(_mean(each, which, name) for name in names), *_costs(each.cost, costs, which)]
        for each, which in sides
    ]
    body = [" & ".join([_escape(name), *cells]) + r" \\" for name, *cells in lines]
    notes = [note for each, which in sides for note in comparison_notes(each.names[which], each, which)]
    times = [f"{each.names[which]}: {time}" for each, which in sides if (time := run_time_note(each.timing[which]))]
    return "\n".join(
        [
            *(f"% {' '.join(note.split())}" for note in notes),
            f"% {say_count(first.n, 'question')}; in brackets the 95 % interval; bold: that of the difference to the "
            "first row excludes 0",
            "% calls, tokens and seconds a question",
            *(f"% {' '.join(time.split())}" for time in times),
            rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
            r"\toprule",
            " & ".join(map(_escape, heads)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _mean(comparison: Comparison, which: int, name: str) -> str:
    """A mean with its interval, bold where it surely differs, and with its n where that is not all questions."""
    found = comparison.metrics.get(name)
    if found is None:
        return "--"
    mean = show_number(name, (found.a, found.b)[which])
    shown = rf"\textbf{{{mean}}}" if which and is_sure(found) else mean
    ends = [show_number(name, end) for end in (found.intervals or ((), ()))[which] if end is not None]
    if ends:
        shown += rf" {{\scriptsize [{', '.join(ends)}]}}"
    return shown + show_n(found.change.n, comparison.n)


def _costs(cost: Mapping[str, tuple[float | None, float | None]], names: Sequence[str], which: int) -> list[str]:
    digits = {"calls": 2, "tokens": 0, "seconds": 2, "usd": 6}
    return ["--" if (value := cost[what][which]) is None else f"{value:.{digits[what]}f}" for what in names]


def _escape(text: str) -> str:
    """A text within TeX, in one line."""
    return "".join(_ESCAPED.get(sign, sign) for sign in " ".join(text.split()))


def comparison_notes(name: str, comparison: Comparison, which: int) -> list[str]:
    """The warnings about one of the two runs that belong before any mean, each with the run's name before it."""
    gaps = gap_notes(comparison.unmeasured[which], comparison.n, "the run's command")
    means = {
        metric: show_number(metric, (each.a, each.b)[which]) + (f" ({100 * each.change.mean:+.1f})" if which else "")
        for metric, each in comparison.untaught.items()
        if metric in MAIN
    }
    taught = taught_note(comparison.taught[which], comparison.n, means)
    notes = [*gaps, budget_note(comparison.over_budget[which], comparison.n), taught]
    return [f"{name}: {note}" for note in notes if note]
