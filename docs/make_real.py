"""Writes the tables of docs/real-lms.md from docs/records/real.json, and holds a study of one's own against them.

    python docs/make_real.py                            # the page, from the records
    python docs/make_real.py --check runs/real-reading  # the folder of `multihop reproduce real-reading ...`

`--check` says of each EM and F1 of the records whether it lies within the study's 95 % interval, and ends with 1 where
one lies outside, with 2 where there is nothing to compare.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import ujson
from make_board import NONE, Verdict, as_claim, measured, with_table

from multihop.base import InputError
from multihop.evaluation.report import as_table
from multihop.experiments.study_table import RECORD

DOCS = Path(__file__).parent
PAGE, RECORDS = DOCS / "real-lms.md", DOCS / "records" / "real.json"
SETS = {"hotpotqa": "HotpotQA", "2wikimultihopqa": "2WikiMultiHopQA", "musique": "MuSiQue"}
TABLES = ("real-reading", "real-methods", "another-judge", "real-compile", "real-sizes")
OVER_BM25 = " over BM25"
"""Ends the names of those rows of real-methods that the page shows."""


class Cell(TypedDict):
    """A row of a table on one question set."""

    row: str
    """The table and the row's name in it, as TABLE/ROW."""
    set: str
    settings: dict[str, Any]
    n: int
    em: list[float]
    """The mean and the ends of its interval, in percent; the mean alone where no more is kept."""
    f1: list[float]
    """The mean F1 and the ends of its interval, in percent; the mean alone where no more is kept."""
    half: NotRequired[int]
    """Half the interval of F1, where its ends are not kept."""
    calls: float
    tokens: int
    measured: NotRequired[str]
    """The day; missing where only the table is left that a script wrote from the run, and no summary."""


class Change(TypedDict):
    """The difference of a row's F1 to another's, paired by question."""

    row: str
    to: str
    n: int
    f1: list[float]


class Records(TypedDict):
    """The file."""

    about: str
    cells: list[Cell]
    differences: list[Change]


def main() -> None:
    """The page, or a study checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=Path, metavar="STUDY", help="a study that the records are held against")
    given = parser.parse_args()
    records: Records = ujson.loads(RECORDS.read_text(encoding="utf-8"))
    try:
        if given.check is not None:
            sys.exit(checked(records, given.check))
    except InputError as error:
        parser.error(str(error))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), records), encoding="utf-8")


def checked(records: Records, study: Path) -> int:
    """Print what the study says of each of its figures that is recorded; returns the exit status.

    Raises:
        InputError: There is nothing to compare.
    """
    found = measured(study, any_lm=True)
    name = ujson.loads((study / RECORD).read_text(encoding="utf-8"))["experiment"]
    verdicts = [
        (row, Verdict(cell["set"], metric, as_claim(figures[0], *ends(figures), cell["n"]), ours[metric]))
        for cell in records["cells"]
        for table, _, row in [cell["row"].partition("/")]
        for ours in [found.get(row, {}).get(cell["set"], {}) if table == name else {}]
        for metric, figures in (("em", cell["em"]), ("f1", cell["f1"]))
        if metric in ours
    ]
    if not verdicts:
        raise InputError(f"{study} has no figure that {RECORDS.name} has a record of.")
    sys.stdout.writelines(f"{row}: {verdict}\n" for row, verdict in verdicts)
    true = sum(verdict.holds for _, verdict in verdicts)
    sys.stdout.write(f"{true} of {len(verdicts)} hold\n")
    return 0 if true == len(verdicts) else 1


def ends(figures: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """The ends of the interval, where they are kept."""
    return (figures[1], figures[2]) if len(figures) > 1 else (None, None)


def page(text: str, records: Records) -> str:
    """The page with its tables."""
    for name in TABLES:
        cells = [each for each in records["cells"] if each["row"].startswith(f"{name}/")]
        if name == "real-methods":
            cells = [each for each in cells if each["row"].endswith(OVER_BM25)]
        text = with_table(text, name, table(cells, records["differences"]))
    return text


def table(cells: Sequence[Cell], differences: Iterable[Change]) -> str:
    """A line for each row; settings and differences where some row has them."""
    changes = {each["row"]: each for each in differences}
    rows: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        rows.setdefault(cell["row"], {})[cell["set"]] = cell
    sets = {key: title for key, title in SETS.items() if any(key in row for row in rows.values())}
    optional = {
        "settings": any(cell["settings"] for cell in cells),
        "difference": any(name in changes for name in rows),
    }
    heads = ["", *sets.values(), "difference", "calls", "tokens"]
    if optional["settings"]:
        heads.insert(1, "settings")
    if not optional["difference"]:
        heads.remove("difference")
    lines = [[{**dict(line(name, row, changes.get(name)))}[head] for head in heads] for name, row in rows.items()]
    return as_table(heads, lines, texts=1 + optional["settings"])


def line(name: str, row: dict[str, Cell], change: Change | None) -> Iterator[tuple[str, str]]:
    """The cells of a row by the heads of their columns."""
    yield "", name.partition("/")[2].removesuffix(OVER_BM25)
    cells = list(row.values())
    yield "settings", written(cells[0]["settings"])
    for key, title in SETS.items():
        yield title, figure(row[key]) if key in row else NONE
    yield "difference", shown(change) if change else ""
    asked = sum(cell["n"] for cell in cells)
    yield "calls", f"{sum(cell['calls'] * cell['n'] for cell in cells) / asked:.1f}"
    yield "tokens", f"{sum(cell['tokens'] * cell['n'] for cell in cells) / asked:,.0f}"


def written(settings: dict[str, Any]) -> str:
    """Settings that are not the defaults, in words."""
    values = {name: ", ".join(map(str, each)) if isinstance(each, list) else each for name, each in settings.items()}
    return ", ".join(f"{name} {each}" for name, each in values.items())


def figure(cell: Cell) -> str:
    """EM / F1 with half its interval, the number of questions, and a mark where the run's summary is not kept."""
    low, high = ends(cell["f1"])
    half = cell["half"] if low is None or high is None else (high - low) / 2
    mark = "" if "measured" in cell else "†"
    return f"{cell['em'][0]:.1f} / {cell['f1'][0]:.1f}±{half:.0f} ({cell['n']}){mark}"


def shown(change: Change) -> str:
    """A difference with its interval, bold where it excludes 0, and the number of questions."""
    mean, low, high = change["f1"]
    text = f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]".replace("-0.0", "0.0").replace("+0.0", "0.0")
    return f"{f'**{text}**' if low > 0 or high < 0 else text} ({change['n']})"


if __name__ == "__main__":
    main()
