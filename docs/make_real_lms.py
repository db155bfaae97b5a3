"""Writes the tables of docs/real-lms.md from the folders of studies: a study's table goes where the page names it.

    python docs/make_real_lms.py runs/real-reading runs/real-compile

A mark `<!-- real-reading -->` in the page begins the table of the experiment of that name, `<!-- end -->` ends it. Rows
that no question was asked of are left out; several studies of one experiment make one table.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import ujson
from marked_tables import with_table

from multihop.evaluation.journal import read_rows
from multihop.evaluation.statistics import bootstrap_means
from multihop.evaluation.summary import Summary
from multihop.experiments.study_table import RECORD, StudyTable
from multihop.runtime import token_count

PAGE = Path(__file__).with_name("real-lms.md")
BASE = "zero-shot"
"""The way that others are compared with."""


class Run(NamedTuple):
    """A row of the study on one question set."""

    folder: Path
    summary: Summary


def main() -> None:
    """The page with the tables of the studies that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=Path)
    parser.add_argument("--to", type=Path, default=PAGE)
    given = parser.parse_args()
    text = given.to.read_text(encoding="utf-8")
    experiments: dict[str, dict[str, dict[str, Run]]] = {}
    for study in given.studies:
        table: StudyTable = ujson.loads((study / RECORD).read_text(encoding="utf-8"))
        add_runs(experiments.setdefault(table["experiment"], {}), study, table)
    for name, runs in experiments.items():
        text = with_table(text, name, "\n".join(lines(runs)))
    given.to.write_text(text, encoding="utf-8")


def add_runs(runs: dict[str, dict[str, Run]], study: Path, table: StudyTable) -> None:
    """Add the study's runs, by row and question set."""
    for row in table["rows"]:
        if row["n"]:
            folder = study / row["folder"]
            summary: Summary = ujson.loads((folder / "summary.json").read_text(encoding="utf-8"))
            runs.setdefault(row["row"], {})[row["set"]] = Run(folder, summary)


def lines(runs: Mapping[str, Mapping[str, Run]]) -> Iterator[str]:
    """The table, a line a row, its question sets side by side."""
    sets = list(dict.fromkeys(name for run in runs.values() for name in run))
    bases = {name: runs.get(f"{name.partition(', ')[0]}, {BASE}") for name in runs}  # "tor, zero-shot" of "tor, simba"
    compares = any(base not in (None, runs[name]) for name, base in bases.items())
    heads = ["", *(f"{name}: EM / F1" for name in sets), *["difference"] * compares]
    yield _line([*heads, "calls", "tokens", "unreadable"])
    yield _line(["---", *["---:"] * len(sets), *["---"] * compares, *["---:"] * 3])
    for name, of in runs.items():
        cells = [scores(of[each].summary) if each in of else "–" for each in sets]
        base = bases[name]
        if compares:
            cells.append("" if base in (None, of) else difference(base, of))
        yield _line([name, *cells, *costs([run.summary for run in of.values()])])


def scores(summary: Summary) -> str:
    """EM and F1 with half its 95 % interval, and of how many questions."""
    em, f1 = summary["metrics"]["em"], summary["metrics"]["f1"]
    return f"{100 * em['mean']:.1f} / {100 * f1['mean']:.1f}±{50 * (f1['high'] - f1['low']):.0f} ({summary['n']})"


def costs(summaries: Sequence[Summary]) -> list[str]:
    """Calls and tokens a question, and completions not readable."""
    n, spent = sum(summary["n"] for summary in summaries), [summary["cost"] for summary in summaries]
    calls = sum(cost["calls"]["total"] for cost in spent)
    tokens = sum(token_count(cost["tokens"]) for cost in spent)
    unreadable = sum(cost["parse_failures"] for cost in spent)
    return [f"{calls / n:.1f}", f"{tokens / n:,.0f}", f"{unreadable} of {calls:,}"]


def difference(base: Mapping[str, Run], other: Mapping[str, Run]) -> str:
    """The mean difference of F1 over the questions that both answered, with its 95 % interval."""
    found: list[float] = []
    for name in base.keys() & other.keys():
        before, after = f1_of(base[name].folder), f1_of(other[name].folder)
        found += [100 * (after[key] - before[key]) for key in before.keys() & after.keys()]
    if not found:
        return ""
    mean = bootstrap_means({"": np.sort(found)})[""]
    return f"{mean.mean:+.1f} [{mean.low:+.1f}, {mean.high:+.1f}]"


def f1_of(folder: Path) -> dict[str, float]:
    """The F1 of every question that was answered."""
    return {row["id"]: row["metrics"]["f1"] for row in read_rows(folder) if row["status"] != "error"}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
