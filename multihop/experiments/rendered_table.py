"""The table of a study as it is shown: every cell as text, in Markdown here, in the terminal and on pages elsewhere."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..base import write_record, writing
from ..base.texts import in_line
from ..evaluation.report import as_table, join_paragraphs, show_n
from .study_table import RECORD, RowTest, StudyRow, StudyTable

PAGE = "table.md"
NONE = "–"
COST_NOTE = "Calls and tokens are those of one question, from the cache or not; paid is what the whole run paid."
HEADS = ("row", "figure", "published", "ours", "95 % interval", "difference", "calls", "tokens", "paid")
TEST_HEADS = ("row", "against", "figure", "row's", "the other's", "difference", "95 % interval", "p", "n")
TEST_NOTE = (
    "Each pair of rows is compared on the questions that both answered, by a paired permutation test; p is that of "
    "each test alone"
)


class FigureLine(NamedTuple):
    """One figure of a row; the row's name and its cost are in the first of them."""

    row: str
    figure: str
    published: str
    ours: str
    half: str
    """Half of the 95 % interval; empty where there is none."""
    n: str
    """The number of questions that went in, if not all; else empty."""
    lacks: str
    """What the corpus lacks for these questions, in a few words; empty for nothing."""
    spread: str
    """The lowest and the highest figure of several runs; else empty."""
    interval: str
    difference: str
    calls: str
    tokens: str
    paid: str
    published_at: float | None
    """The place of the published figure, from 0 to 100; None where there is none, or it is no share."""
    ours_at: list[float] | None
    """The places of low, mean and high of ours; None where they are no shares."""

    @property
    def cells(self) -> list[str]:
        """The cells under `HEADS`."""
        costs = [self.calls, self.tokens, self.paid]
        return [self.row, self.figure, self.published, self.whole, self.interval, self.difference, *costs]

    @property
    def whole(self) -> str:
        """Our figure with its n, what the corpus lacks, and of several runs the lowest and the highest."""
        lacks = f" ({self.lacks})" if self.lacks else ""
        return f"{self.ours}{self.n}{lacks}" + (f" {self.spread}" if self.spread else "")


class RenderedSet(NamedTuple):
    """The rows of one question set."""

    name: str
    lines: list[FigureLine]
    notes: list[str]
    """The table's notes on single rows."""
    tests: list[list[str]]
    """The tests of these rows against others, under `TEST_HEADS`."""


class RenderedTable(NamedTuple):
    """The table of a study, ready to be drawn."""

    title: str
    place: str
    warning: str
    """The line before the first figure."""
    sets: list[RenderedSet]
    tests: dict[str, list[list[str]]]
    """The tests of rows by the question set, or those that one was asked for."""
    differs: list[str]
    """The differences between the runs and the paper."""
    has_repeats: bool
    """True if a row was asked several times."""

    @property
    def has_n(self) -> bool:
        """True if a figure is not of all questions."""
        return any(line.n for each in self.sets for line in each.lines)


def render(table: StudyTable) -> RenderedTable:
    """The table with every cell as text."""
    tests: dict[str, list[list[str]]] = {}
    for test in table.get("tests", []):
        tests.setdefault(" and ".join(test["sets"]), []).append(_test_cells(test))
    sets = []
    for name, rows in by_set(table):
        lines = [line for row in rows for line in _lines(row)]
        notes = dict.fromkeys(f"{row['row']}: {row['note']}." for row in rows if row["note"])
        of_set = [_test_cells(test) for test in table.get("tests", []) if name in test["sets"]]
        sets.append(RenderedSet(name, lines, [*notes], of_set))
    return RenderedTable(
        title=table["title"],
        place=f"{table['paper']}, {table['place']}",
        warning=_warning(table),
        sets=sets,
        tests=tests,
        differs=table["differs"],
        has_repeats=any(row.get("repeats", 1) > 1 for row in table["rows"]),
    )


def write_table(table: StudyTable, folder: Path) -> None:
    """table.json for programs, table.md for people."""
    write_record(folder / RECORD, table)
    with writing(folder / PAGE) as file:
        file.write(as_markdown(render(table)))


def as_markdown(table: RenderedTable) -> str:
    """The table as Markdown, a section for each question set."""
    parts = [f"**{in_line(table.warning)}**", f"# {in_line(table.title)}", f"{in_line(table.place)}."]
    for each in table.sets:
        lines = as_table(HEADS, (line.cells for line in each.lines), texts=2)
        parts += [f"## {in_line(each.name)}", lines, _bullets(each.notes)]
    parts.append(COST_NOTE)
    if table.has_n:
        parts.append("n: the questions that went into a figure, where they are not all.")
    if table.has_repeats:
        parts.append(
            "Rows that were asked several times, each time with another seed, show the mean [lowest run, highest run]; "
            "the interval is over the questions, each with its answers from all runs."
        )
    if table.tests:
        parts.append("## Row against row")
        for name, tests in table.tests.items():
            parts += [f"### {in_line(name)}", as_table(TEST_HEADS, tests, texts=3)]
        parts.append(f"{TEST_NOTE}.")
    if table.differs:
        parts += ["## How it differs from the paper", _bullets(table.differs)]
    return join_paragraphs(*parts)


def by_set(table: StudyTable) -> Iterator[tuple[str, list[StudyRow]]]:
    """The rows of each question set, in the order of the table."""
    for name in dict.fromkeys(row["set"] for row in table["rows"]):
        yield name, [row for row in table["rows"] if row["set"] == name]


def label_of(row: StudyRow) -> str:
    """The row's title, with the LM where it has an entry for each of several."""
    return row.get("label", row["row"])


def show_figure(value: float | None) -> str:
    """A figure of a table."""
    return NONE if value is None else f"{value:,.{_digits(value)}f}"


def _warning(table: StudyTable) -> str:
    if table["caveats"]:
        return f"Not the published setting: {'; '.join(table['caveats'])}."
    if any(row["n"] for row in table["rows"]):
        return "Run as the table says."
    return "Nothing is run yet: the published figures alone."


def _lines(row: StudyRow) -> Iterator[FigureLine]:
    for place, cell in enumerate(row["cells"]):
        first, ours, difference = place == 0, cell["ours"], cell["difference"]
        digits = _digits(ours or 0.0)
        lowest, highest = cell.get("lowest"), cell.get("highest")
        several = lowest is not None and highest is not None
        published, low, high = cell["published"], cell["low"], cell["high"]
        places = [float(end) for end in (low, ours, high) if end is not None and 0 <= end <= 100]
        yield FigureLine(
            row=label_of(row) if first else "",
            figure=cell["measure"],
            published=show_figure(published),
            ours=show_figure(ours),
            half="" if low is None or high is None or ours is None else f"±{(high - low) / 2:.{digits}f}",
            n=show_n(cell["n"], cell["asked"]) if "asked" in cell else "",
            lacks="" if ours is None else row.get("lacks", ""),
            spread=f"[{show_figure(lowest)}, {show_figure(highest)}]" if several else "",
            interval=NONE if low is None or high is None else f"{low:.{digits}f} – {high:.{digits}f}",
            difference=NONE if difference is None else _signed(difference),
            calls=_cost(row["calls"], ".1f") if first else "",
            tokens=_cost(row["tokens"], ",.0f") if first else "",
            paid=_cost(row["paid_calls"], ",") if first else "",
            published_at=float(published) if published is not None and 0 <= published <= 100 else None,
            ours_at=places if len(places) == 3 else None,
        )


def _test_cells(test: RowTest) -> list[str]:
    p_value = test["p_value"]
    return [
        test.get("label", test["row"]),
        test["against"],
        test["measure"],
        f"{test['ours']:.1f}",
        f"{test['theirs']:.1f}",
        _signed(test["difference"]),
        " to ".join(_signed(end) for end in (test["low"], test["high"]) if end is not None) or NONE,
        NONE if p_value is None else "< 0.001" if p_value < 0.001 else f"{p_value:.3f}",
        f"{test['n']:,}",
    ]


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {in_line(text)}" for text in texts)


def _digits(value: float) -> int:
    return 0 if abs(value) >= 1000 else 2 if abs(value) < 10 else 1


def _signed(points: float) -> str:
    text = f"{points:+.1f}"
    return "+0.0" if text == "-0.0" else text


def _cost(value: float | None, form: str) -> str:
    return NONE if value is None else format(value, form)
