"""The table of a study as a page, and as lines for a terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import ujson

from ..base import writing
from ..evaluation.report import as_table, join_paragraphs, show_n
from .row_tests import RowTest
from .study_table import RECORD, StudyCell, StudyRow, StudyTable

PAGE = "table.md"
NONE = "–"
COST_NOTE = "Calls and tokens are those of one question, from the cache or not; paid is what the whole run paid"
HEADS = ("row", "figure", "published", "ours", "95 % interval", "difference", "calls", "tokens", "paid")
TEST_HEADS = ("row", "against", "figure", "row's", "the other's", "difference", "95 % interval", "p", "n")
TEST_NOTE = (
    "Each pair of rows is compared on the questions that both answered, by a paired permutation test; p is that of "
    "each test alone"
)


def caveat_line(table: StudyTable) -> str:
    """The line before the first figure."""
    if not table["caveats"]:
        asked = any(row["n"] for row in table.get("rows", ()))
        return "Run as the table says." if asked else "Nothing is run yet: the published figures alone."
    return f"Not the published setting: {'; '.join(table['caveats'])}."


def write_table(table: StudyTable, folder: Path) -> None:
    """table.json for programs, table.md for people."""
    with writing(folder / RECORD) as file:
        ujson.dump(table, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)
    with writing(folder / PAGE) as file:
        file.write(as_page(table))


def as_page(table: StudyTable) -> str:
    """The table as Markdown, a section for each question set."""
    parts = [f"**{caveat_line(table)}**", f"# {table['title']}", f"{table['paper']}, {table['place']}."]
    for name, rows in by_set(table):
        lines = (cells for row in rows for cells in row_lines(row))
        notes = dict.fromkeys(f"- {row['row']}: {row['note']}." for row in rows if row["note"])
        parts += [f"## {name}", as_table(HEADS, lines, texts=2), "\n".join(notes)]
    parts.append(f"{COST_NOTE}.")
    if any(show_cell_n(cell) for row in table["rows"] for cell in row["cells"]):
        parts.append("n: the questions that went into a figure, where they are not all.")
    if any(row.get("repeats", 1) > 1 for row in table["rows"]):
        parts.append(
            "Rows that were asked several times, each time with another seed, show the mean [lowest run, highest run]; "
            "the interval is over the questions, each with its answers from all runs."
        )
    if tests := table.get("tests"):
        parts.append("## Row against row")
        for name, of_set in by_tested_set(tests):
            parts += [f"### {name}", as_table(TEST_HEADS, map(paired_line, of_set), texts=3)]
        parts.append(f"{TEST_NOTE}.")
    if table["differs"]:
        parts += ["## How it differs from the paper", "\n".join(f"- {each}" for each in table["differs"])]
    return join_paragraphs(*parts)


def by_set(table: StudyTable) -> Iterator[tuple[str, list[StudyRow]]]:
    """The rows of each question set, in the order of the table."""
    for name in dict.fromkeys(row["set"] for row in table["rows"]):
        yield name, [row for row in table["rows"] if row["set"] == name]


def label_of(row: StudyRow) -> str:
    """The row's title, with the LM where it has an entry for each of several."""
    return row.get("label", row["row"])


def row_lines(row: StudyRow) -> Iterator[list[str]]:
    """A line of cells for each figure; the row's name and its cost in the first of them."""
    for place, cell in enumerate(row["cells"]):
        first = place == 0
        yield [
            label_of(row) if first else "",
            cell["measure"],
            show_figure(cell["published"]),
            show_ours(cell),
            _interval(cell),
            NONE if cell["difference"] is None else _signed(cell["difference"]),
            _cost(row["calls"], ".1f") if first else "",
            _cost(row["tokens"], ",.0f") if first else "",
            _cost(row["paid_calls"], ",") if first else "",
        ]


def by_tested_set(tests: Sequence[RowTest]) -> Iterator[tuple[str, list[RowTest]]]:
    """The tests of each question set, or of those that one was asked in the place of."""
    for sets in dict.fromkeys(tuple(test["sets"]) for test in tests):
        yield " and ".join(sets), [test for test in tests if tuple(test["sets"]) == sets]


def paired_line(test: RowTest) -> list[str]:
    """The cells of a test of one row against another, as `TEST_HEADS` names them."""
    p_value = test["p_value"]
    return [
        test.get("label", test["row"]),
        test["against"],
        test["measure"],
        f"{test['ours']:.1f}",
        f"{test['theirs']:.1f}",
        _signed(test["difference"]),
        f"{_signed(test['low'])} to {_signed(test['high'])}",
        NONE if p_value is None else "< 0.001" if p_value < 0.001 else f"{p_value:.3f}",
        f"{test['n']:,}",
    ]


def show_ours(cell: StudyCell) -> str:
    """Our figure, with its n where that is not all questions; of several runs the mean, the lowest and the highest."""
    return f"{show_figure(cell['ours'])}{show_cell_n(cell)}{show_runs(cell)}"


def show_runs(cell: StudyCell) -> str:
    """The lowest and the highest figure of several runs, after a space; else empty."""
    lowest, highest = cell.get("lowest"), cell.get("highest")
    return "" if lowest is None or highest is None else f" [{show_figure(lowest)}, {show_figure(highest)}]"


def show_cell_n(cell: StudyCell) -> str:
    """The number of questions that went into our figure, if not all; else empty."""
    return show_n(cell["n"], cell["asked"]) if "asked" in cell else ""


def show_half(cell: StudyCell) -> str:
    """Half of the 95 % interval, with as many digits as the figure; empty where there is none."""
    low, high = cell["low"], cell["high"]
    if low is None or high is None or cell["ours"] is None:
        return ""
    return f"±{(high - low) / 2:.{_digits(cell['ours'])}f}"


def _interval(cell: StudyCell) -> str:
    digits = _digits(cell["ours"] or 0.0)
    return NONE if cell["low"] is None else f"{cell['low']:.{digits}f} – {cell['high']:.{digits}f}"


def show_figure(value: float | None) -> str:
    """A figure of a table."""
    return NONE if value is None else f"{value:,.{_digits(value)}f}"


def _digits(value: float) -> int:
    return 0 if abs(value) >= 1000 else 2 if abs(value) < 10 else 1


def _signed(points: float) -> str:
    text = f"{points:+.1f}"
    return "+0.0" if text == "-0.0" else text


def _cost(value: float | None, form: str) -> str:
    return NONE if value is None else format(value, form)
