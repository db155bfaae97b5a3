"""Writes the tables of docs/guide/choose.md from multihop/experiments/measured.json.

python docs/make_choose.py
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from multihop.experiments.choosing.choosing import QuestionBudget, best_row
from multihop.experiments.choosing.lm_kind import LM_KINDS
from multihop.experiments.choosing.measured import MeasuredRow, measured_rows

PAGE = Path(__file__).with_name("guide") / "choose.md"
START, END = "<!-- tables: docs/make_choose.py writes them -->", "<!-- end of the tables -->"
BUDGETS = (1, 3, 10, 30, 100, None)
"""LM calls a question at most."""
SETS = ("hotpotqa", "2wikimultihopqa", "musique")


def page(text: str, rows: Iterable[MeasuredRow]) -> str:
    """The page with its tables written anew."""
    before, start, rest = text.partition(START)
    return f"{before}{start}\n\n{tables(rows)}\n{END}{rest.partition(END)[2]}"


def tables(rows: Iterable[MeasuredRow]) -> str:
    """A table for each LM, the smallest first, and a word on the kinds that have none."""
    rows = list(rows)
    lms = sorted({row.kind for row in rows}, key=lambda lm: (lm.size is None, lm.size or 0.0, lm.name), reverse=False)
    lines: list[str] = []
    for lm in lms:
        size = "" if not lm.size else f", {lm.size:g} B" if lm.size >= 0.1 else f", {1000 * lm.size:g} M"
        lines += [f"### `{lm.name}`{size}", "", *_table([row for row in rows if row.kind == lm]), ""]
    missing = [words for kind, words in LM_KINDS.items() if kind not in {lm.kind for lm in lms}]
    if missing:
        lines += [f"Nothing is measured yet with: {'; '.join(missing)}.", ""]
    return "\n".join(lines)


def _table(rows: list[MeasuredRow]) -> Iterator[str]:
    sets = [name for name in SETS if any(row.set == name for row in rows)]
    titles = [next(row.set_title for row in rows if row.set == name) for name in sets]
    yield f"| calls a question, at most | {' | '.join(titles)} |"
    yield f"| --- {'| --- ' * len(sets)}|"
    before: list[str] = []
    for calls in BUDGETS:
        budget = QuestionBudget(calls=calls)
        cells = [_cell([row for row in rows if row.set == name and budget.excess(row) <= 1]) for name in sets]
        if cells != before:
            yield f"| {'any' if calls is None else calls} | {' | '.join(cells)} |"
        before = cells


def _cell(rows: list[MeasuredRow]) -> str:
    if not rows:
        return "–"
    row = best_row(rows)
    return f"{row.title}: {row.f1.mean:.1f}±{row.f1.half:.1f}, {row.calls:.1f} calls, n={row.n}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), measured_rows()), encoding="utf-8")
