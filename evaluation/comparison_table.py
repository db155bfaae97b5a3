"""A comparison as a table for other programs and for papers: a row for each run, as CSV, LaTeX or JSON."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import ujson

from ..base import unknown
from .comparison import COSTS, Comparison
from .report import show_number

TableFormat = Literal["csv", "latex", "json"]
_HEADS = {"em": "EM", "f1": "F1", "calls": "Calls", "tokens": "Tokens", "seconds": "Seconds", "usd": "USD"}
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def comparison_table(comparisons: Sequence[Comparison], form: TableFormat) -> str:
    """Runs that were compared with the first one, as the text of a file.

    Args:
        comparisons: What `compare_with_first` found, or a single `compare`.
        form: "csv" and "json" have each metric's mean, its difference to the first run with the 95 % interval, the
            p value, and the cost of a question; "latex" the means as percentages, bold where the interval excludes 0.

    Raises:
        InputError: The format is unknown.
    """
    writers: dict[str, Callable[[Sequence[Comparison]], str]] = {"csv": _csv, "latex": _latex, "json": _json}
    if form not in writers:
        raise unknown("format of a table", form, get_args(TableFormat))
    return writers[form](comparisons)


def comparison_rows(comparisons: Sequence[Comparison]) -> list[dict[str, str | int | float | None]]:
    """A row for each run, the first one's without differences."""
    first = comparisons[0]
    means = {name: difference.a for name, difference in first.metrics.items()}
    costs = {what: of_a for what, (of_a, _) in first.cost.items()}
    rows: list[dict[str, str | int | float | None]] = [{"run": first.names[0], "questions": first.n, **means, **costs}]
    for each in comparisons:
        row: dict[str, str | int | float | None] = {"run": each.names[1], "questions": each.n}
        for name, difference in each.metrics.items():
            row[name] = difference.b
            row[f"{name} difference"] = difference.change.mean
            row[f"{name} low"], row[f"{name} high"] = difference.change.low, difference.change.high
            row[f"{name} p"] = difference.p_value
        rows.append({**row, **{what: of_b for what, (_, of_b) in each.cost.items()}})
    return rows


def surely_differs(comparison: Comparison, metric: str) -> bool:
    """Whether the 95 % interval of the difference excludes 0; never for what is no measure of quality."""
    difference = comparison.metrics[metric]
    return difference.p_value is not None and (difference.change.low > 0 or difference.change.high < 0)


def _csv(comparisons: Sequence[Comparison]) -> str:
    rows = comparison_rows(comparisons)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[-1]), lineterminator="\n")  # the first run's row lacks the differences
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _json(comparisons: Sequence[Comparison]) -> str:
    rows = comparison_rows(comparisons)
    return ujson.dumps(rows, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n"


def _latex(comparisons: Sequence[Comparison]) -> str:
    """A table that needs the package booktabs."""
    first, metrics = comparisons[0], list(comparisons[0].metrics)
    # without dollars where no LM is paid in them
    costs = [
        what
        for what in COSTS
        if what != "usd" or any(value != 0 for each in comparisons for value in each.cost.get(what, ()))
    ]
    heads = ["", *(_HEADS.get(name, name) for name in (*metrics, *costs))]
    lines = [
        [first.names[0], *(show_number(name, first.metrics[name].a) for name in metrics), *_costs(first.cost, costs, 0)]
    ]
    for each in comparisons:
        means = [show_number(name, each.metrics[name].b) for name in metrics]
        marked = [
            rf"\textbf{{{mean}}}" if surely_differs(each, name) else mean
            for name, mean in zip(metrics, means, strict=True)
        ]
        lines.append([each.names[1], *marked, *_costs(each.cost, costs, 1)])
    body = [" & ".join([_escape(name), *cells]) + r" \\" for name, *cells in lines]
    return "\n".join(
        [
            f"% {first.n:,} questions; bold: the 95 % interval of the difference to the first row excludes 0",
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


def _costs(cost: Mapping[str, tuple[float | None, float | None]], names: Sequence[str], which: int) -> list[str]:
    digits = {"calls": 2, "tokens": 0, "seconds": 2, "usd": 6}
    return ["--" if (value := cost[what][which]) is None else f"{value:.{digits[what]}f}" for what in names]


def _escape(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)
