"""Writes the tables of docs/sensitivity.md from the folders of sweeps: a sweep's table goes where the page names it.

    python docs/make_sensitivity.py runs/sweep-mzqa runs/sweep-tor

A mark `<!-- sweep-mzqa -->` in the page begins the table of the sweep in a folder of that name, `<!-- end -->` ends it.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import ujson
from marked_tables import with_table

from multihop.evaluation.report.report import as_table
from multihop.experiments.sweeping.sweep_page import effect_line, row_cells, sweep_heads
from multihop.experiments.sweeping.sweep_table import RECORD, SweepTable

PAGE = Path(__file__).with_name("sensitivity.md")
LEFT_OUT = ("recall@5",)
"""Columns that the page does without."""
TIME = "seconds"
"""The column that says nothing of a simulation."""


def main() -> None:
    """The page with the tables of the sweeps that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweeps", nargs="+", type=Path)
    parser.add_argument("--to", type=Path, default=PAGE)
    given = parser.parse_args()
    text = given.to.read_text(encoding="utf-8")
    for folder in given.sweeps:
        table: SweepTable = ujson.loads((folder / RECORD).read_text(encoding="utf-8"))
        text = with_table(text, folder.name, "\n".join(lines(table)))
    given.to.write_text(text, encoding="utf-8")


def lines(table: SweepTable) -> Iterator[str]:
    """The table, a line a point, and what each setting does."""
    heads = sweep_heads(table)
    left_out = (*LEFT_OUT, *([TIME] if table["simulated"] else []))
    kept = [place for place, head in enumerate(heads) if head not in left_out]
    rows = [row_cells(table, row) for row in table["rows"]]
    texts = len(table["swept"])
    yield as_table([heads[place] for place in kept], ([row[place] for place in kept] for row in rows), texts=texts)
    yield ""
    yield from (f"- {effect_line(each)}." for each in table["effects"])


if __name__ == "__main__":
    main()
