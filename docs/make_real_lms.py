"""Writes the tables of docs/real-lms.md from the folders of studies: a study's table goes where the page names it.

    python docs/make_real_lms.py runs/real-reading runs/real-compile

A mark `<!-- real-reading -->` in the page begins the table of the experiment of that name, `<!-- end -->` ends it. Rows
that no question was asked of are left out.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import ujson

from multihop.evaluation.journal.journal import read_rows
from multihop.evaluation.report.statistics import bootstrap_means
from multihop.experiments.study_table import RECORD, StudyRow, StudyTable

PAGE = Path(__file__).with_name("real-lms.md")
END = "<!-- end -->"
BASE = "zero-shot"
"""The way that others are compared with."""


def main() -> None:
    """The page with the tables of the studies that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=Path)
    parser.add_argument("--to", type=Path, default=PAGE)
    given = parser.parse_args()
    text = given.to.read_text(encoding="utf-8")
    for study in given.studies:
        table: StudyTable = ujson.loads((study / RECORD).read_text(encoding="utf-8"))
        text = with_table(text, table["experiment"], "\n".join(lines(study, table)))
    given.to.write_text(text, encoding="utf-8")


def with_table(text: str, name: str, table: str) -> str:
    """The page with the table where its mark is."""
    mark = f"<!-- {name} -->"
    before, found, rest = text.partition(mark)
    if not found or END not in rest:
        raise SystemExit(f"the page has no mark '{mark}', or no '{END}' after it")
    return f"{before}{mark}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


def lines(study: Path, table: StudyTable) -> Iterator[str]:
    """The table, a line a row, its question sets side by side."""
    asked = [row for row in table["rows"] if row["n"]]
    sets = list(dict.fromkeys(row["set"] for row in asked))
    names = list(dict.fromkeys(row["row"] for row in asked))
    of = {(row["row"], row["set"]): row for row in asked}
    compares = any(base_of(name) in names and base_of(name) != name for name in names)
    yield (
        "| | "
        + " | ".join(f"{name}: EM / F1" for name in sets)
        + (" | difference |" if compares else " |")
        + " calls | tokens | prefix cached | unreadable |"
    )
    yield "| --- |" + " ---: |" * len(sets) + (" --- |" if compares else "") + " ---: |" * 4
    for name in names:
        rows = [of[name, each] for each in sets if (name, each) in of]
        cells = [scores(study, of.get((name, each))) for each in sets]
        if compares:
            cells.append(
                difference(
                    study,
                    [
                        (of[base_of(name), row["set"]], row)
                        for row in rows
                        if base_of(name) != name and (base_of(name), row["set"]) in of
                    ],
                )
            )
        yield f"| {name} | " + " | ".join([*cells, *costs(study, rows)]) + " |"


def base_of(name: str) -> str:
    """The row that a row of another way to compile is compared with: "tor, zero-shot" for "tor, labeled-3"."""
    return f"{name.partition(', ')[0]}, {BASE}"


def scores(study: Path, row: StudyRow | None) -> str:
    """EM and F1 with half its 95 % interval, and of how many questions."""
    if row is None:
        return "–"
    summary = ujson.loads((study / row["folder"] / "summary.json").read_text(encoding="utf-8"))
    em, f1 = summary["metrics"]["em"], summary["metrics"]["f1"]
    return f"{100 * em['mean']:.1f} / {100 * f1['mean']:.1f}±{50 * (f1['high'] - f1['low']):.0f} ({summary['n']})"


def costs(study: Path, rows: Sequence[StudyRow]) -> list[str]:
    """Calls and tokens a question, the share of the prompt that a prefix cache serves, completions not readable."""
    summaries = [ujson.loads((study / row["folder"] / "summary.json").read_text(encoding="utf-8")) for row in rows]
    n, calls = (
        sum(each[key] if key == "n" else each["cost"]["calls"]["total"] for each in summaries) for key in ("n", "calls")
    )
    counts = [each for summary in summaries for each in summary["cost"]["tokens"].values()]
    prompt, written = (sum(each[key] for each in counts) for key in ("in", "out"))
    cached = sum(each.get("prompt_cached", 0) for each in counts)
    unreadable = sum(summary["cost"]["parse_failures"] for summary in summaries)
    return [
        f"{calls / n:.1f}", f"{(prompt + written) / n:,.0f}", f"{100 * cached / max(prompt, 1):.0f} %",
        f"{unreadable} of {calls:,}",
    ]  # fmt: skip


def difference(study: Path, pairs: Sequence[tuple[StudyRow, StudyRow]]) -> str:
    """The mean difference of F1 over the questions that both answered, with its 95 % interval."""
    found: list[float] = []
    for base, row in pairs:
        before, after = (f1_of(study / each["folder"]) for each in (base, row))
        found += [100 * (after[key] - before[key]) for key in sorted(before.keys() & after.keys())]
    if not found:
        return ""
    mean = bootstrap_means({"": np.array(found)})[""]
    return f"{mean.mean:+.1f} [{mean.low:+.1f}, {mean.high:+.1f}]"


def f1_of(folder: Path) -> dict[str, float]:
    """The F1 of every question that was answered."""
    return {row["id"]: row["metrics"]["f1"] for row in read_rows(folder) if row["status"] != "error"}


if __name__ == "__main__":
    main()
