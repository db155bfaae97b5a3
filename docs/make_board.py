"""Writes the tables of docs/board.md from the files in docs/board; takes figures from studies; checks claims.

    python docs/make_board.py                                    # the page, from the files
    python docs/make_board.py --from runs/board                  # put what a study measured into the files before
    python docs/make_board.py --check ranked-rag --run runs/board
    python docs/make_board.py --protocol protocol-a --from runs/protocol-a

A study is the folder of `multihop reproduce zero-token`, or of the protocol that is named; rows of a protocol are in
docs/board/PROTOCOL. `--check` holds each figure of a file against the same row of
a study, and ends with 1 where one lies outside the study's 95 % interval, with 2 where there is nothing to compare.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import ujson
from board_rows import BOARD, EXPERIMENT, Claim, Row, read_row, read_rows, write_row
from protocol_tables import PROTOCOLS, protocol_table

from multihop import __version__
from multihop.base import InputError
from multihop.evaluation.report import as_table
from multihop.experiments import open_experiment
from multihop.experiments.experiment import Measure
from multihop.experiments.experiment_file import KEPT
from multihop.experiments.figures import is_of_passages
from multihop.experiments.plan import slug
from multihop.experiments.study_table import RECORD, StudyTable

PAGE = BOARD.with_suffix(".md")
DEV = ("hotpotqa", "2wikimultihopqa", "musique")
ROUNDING = 0.05
"""A figure is written with one decimal."""
NONE = "–"
END = "<!-- end -->"
"""Ends each table of the page; `<!-- NAME -->` begins the one of that name."""
NEARLY_ALL = 0.85
"""The share of a set's questions from which on a figure stands without their number; some have no gold."""


class Verdict(NamedTuple):
    """A claimed figure beside that of a study."""

    set: str
    metric: str
    claimed: Claim
    measured: Claim

    @property
    def holds(self) -> bool:
        """True if the study's interval has the claimed figure in it."""
        low, high = self.measured.get("low"), self.measured.get("high")
        mean = self.measured["mean"]
        low, high = mean if low is None else low, mean if high is None else high
        return low - ROUNDING <= self.claimed["mean"] <= high + ROUNDING

    def __str__(self) -> str:
        ours, end = self.measured, "holds" if self.holds else "DOES NOT HOLD"
        interval = f" [{ours['low']:.1f}, {ours['high']:.1f}]" if "low" in ours else ""
        found = f"{ours['mean']:.1f}{interval} of {ours['n']} questions"
        return f"{self.set}, {self.metric}: {self.claimed['mean']:.1f} is claimed, measured is {found}: {end}"


def main() -> None:
    """The page, or a claim checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="studies", nargs="+", type=Path, default=[], metavar="STUDY")
    parser.add_argument("--check", metavar="ROW", help="the name of a file in docs/board, without .json")
    parser.add_argument("--run", type=Path, metavar="STUDY", help="the study that the row is held against")
    parser.add_argument("--protocol", choices=PROTOCOLS, help="the study is of that protocol")
    given = parser.parse_args()
    of = given.protocol or EXPERIMENT
    folder = BOARD / given.protocol if given.protocol else BOARD
    if (given.check is None) != (given.run is None):
        parser.error("--check and --run go together")
    try:
        if given.check is not None:
            sys.exit(checked(given.check, given.run, folder, of))
        for study in given.studies:
            gather(study, folder, of)
        text = page(PAGE.read_text(encoding="utf-8"), read_rows())
    except InputError as error:
        parser.error(str(error))
    PAGE.write_text(text, encoding="utf-8")


def checked(name: str, study: Path, folder: Path = BOARD, of: str = EXPERIMENT) -> int:
    """Print what the study says of each figure that the row claims; returns the exit status.

    Raises:
        InputError: There is nothing to compare, or no such row.
    """
    row = read_row(name, folder, of)
    verdicts = [*verdicts_of(row, measured(study).get(row["row"], {}))]
    sys.stdout.writelines(f"{verdict}\n" for verdict in verdicts)
    if not verdicts:
        raise InputError(f"{study} has no figure of row '{row['row']}' that {name}.json claims.")
    claimed = sum(map(len, row["sets"].values()))
    true = sum(verdict.holds for verdict in verdicts)
    sys.stdout.write(f"{true} of {len(verdicts)} hold; {claimed - len(verdicts)} not measured\n")
    return 0 if true == len(verdicts) else 1


def verdicts_of(row: Row, found: dict[str, dict[str, Claim]]) -> Iterator[Verdict]:
    """A verdict for each claimed figure that was measured."""
    for name, claims in row["sets"].items():
        for metric, claim in claims.items():
            if metric in found.get(name, {}):
                yield Verdict(name, metric, claim, found[name][metric])


def gather(study: Path, folder: Path = BOARD, of: str = EXPERIMENT) -> None:
    """Put a study's figures into the files of its rows, but none of fewer questions in the place of one of more.

    A row without a file gets one, in which who measured it, how, and with how many parameters is still to be written.
    """
    for name, sets in measured(study).items():
        file = slug(name)
        row = read_row(file, folder, of) if (folder / f"{file}.json").exists() else new_row(name)
        for key, figures in sets.items():
            claims = row["sets"].setdefault(key, {})
            for metric, figure in figures.items():
                if metric not in claims or claims[metric]["n"] <= figure["n"]:
                    claims[metric] = figure
        row["version"], row["measured"] = __version__, date.today().isoformat()
        write_row(row, folder / f"{file}.json")


def measured(study: Path, *, any_lm: bool = False) -> dict[str, dict[str, dict[str, Claim]]]:
    """The figures of a study by row, question set and measure; those of answers where the row's own LM gave them.

    With `any_lm`, whichever gave them.
    """
    if not (study / RECORD).is_file():
        raise InputError(f"{study} is no study: it has no {RECORD}; multihop reproduce makes one.")
    table: StudyTable = ujson.loads((study / RECORD).read_text(encoding="utf-8"))
    experiment = open_experiment(study / KEPT)
    keys = {each.title: key for key, each in experiment.sets.items()}
    found: dict[str, dict[str, dict[str, Claim]]] = {}
    for entry in table["rows"]:
        row = experiment.row(entry["row"])
        wanted = str(row.lm or experiment.lm) if row else ""
        own_lm = any_lm or all(wanted in model.partition("@")[0] for model in entry["lms"])
        for cell in entry["cells"]:
            if cell["ours"] is not None and (own_lm or is_of_passages(Measure(cell["metric"]))):
                of = found.setdefault(entry["row"], {}).setdefault(keys[entry["set"]], {})
                of[cell["metric"]] = as_claim(cell["ours"], cell["low"], cell["high"], cell["n"])
    return found


def as_claim(mean: float, low: float | None, high: float | None, n: int) -> Claim:
    """A figure as a row's file has it."""
    claim: Claim = {"mean": round(mean, 1), "n": n}
    if low is not None and high is not None:
        claim["low"], claim["high"] = round(low, 1), round(high, 1)
    return claim


def new_row(name: str) -> Row:
    """A row that nothing is written of yet."""
    return {
        "row": name, "title": name, "who": "", "how": "", "version": "", "measured": "", "note": "",
        "parameters": None, "index_mb": None, "times_bm25": None, "cpu_seconds": None, "sets": {},
    }  # fmt: skip


def with_table(text: str, name: str, table: str) -> str:
    """The page with the table where its mark is."""
    mark = f"<!-- {name} -->"
    before, found, rest = text.partition(mark)
    if not found or END not in rest:
        raise SystemExit(f"the page has no mark '{mark}', or no '{END}' after it")
    return f"{before}{mark}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


def page(text: str, rows: Sequence[Row]) -> str:
    """The page with the tables of the rows, the best first."""
    ordered = sorted(rows, key=standing, reverse=True)
    sets = {key: each.title for key, each in open_experiment(EXPERIMENT).sets.items()}
    found = [[row["title"], *(passages_cell(row, key) for key in sets)] for row in ordered]
    answered = [[row["title"], *(figure(row, key, "f1") for key in sets)] for row in ordered]
    heads = ["", *sets.values()]
    costs = ["", "parameters", "index, MB", "time, x BM25's", "CPU-seconds"]
    numbers = [[row["title"], *cost_cells(row)] for row in ordered]
    sources = [[row["title"], row["who"], row["version"], row["measured"], told(row)] for row in ordered]
    text = with_table(text, "found", as_table(heads, found, texts=1))
    text = with_table(text, "answered", as_table(heads, answered, texts=1))
    for name in PROTOCOLS:
        text = with_table(text, name, protocol_table(name))
    text = with_table(text, "cost", as_table(costs, numbers, texts=1))
    return with_table(text, "rows", as_table(["", "who", "version", "measured", "how"], sources, texts=5))


def standing(row: Row) -> tuple[int, float, float]:
    """The place of a row: by its recall@5, then its F1, over the dev sets; those without all three come last."""
    recalls, f1s = ([row["sets"].get(key, {}).get(metric) for key in DEV] for metric in ("recall@5", "f1"))
    known = [each["mean"] for each in recalls if each is not None]
    read = [each["mean"] for each in f1s if each is not None]
    return len(known), sum(known), sum(read)


def passages_cell(row: Row, key: str) -> str:
    """Recall@2, recall@5 and how often all gold is among five."""
    figures = [figure(row, key, metric) for metric in ("recall@2", "recall@5", "all-recall@5")]
    return NONE if set(figures) == {NONE} else " / ".join(figures)


def figure(row: Row, key: str, metric: str) -> str:
    """A figure with half its interval where it is known, and the number of questions where these are not all."""
    claim = row["sets"].get(key, {}).get(metric)
    if claim is None:
        return NONE
    half = f"±{(claim['high'] - claim['low']) / 2:.0f}" if metric in ("recall@5", "f1") and "low" in claim else ""
    asked = open_experiment(EXPERIMENT).sets[key].size or 0
    few = f" ({claim['n']})" if metric in ("recall@5", "f1") and claim["n"] < NEARLY_ALL * asked else ""
    return f"{claim['mean']:.1f}{half}{few}"


def cost_cells(row: Row) -> list[str]:
    """The cells of a row: parameters, megabytes, time and processor time."""
    return [
        NONE if row["parameters"] is None else f"{row['parameters']:.1f} M" if row["parameters"] else "0",
        NONE if row["index_mb"] is None else f"{row['index_mb']:.0f}",
        NONE if row["times_bm25"] is None else f"{row['times_bm25']:.1f}",
        NONE if row["cpu_seconds"] is None else f"{row['cpu_seconds']:.2f}",
    ]


def told(row: Row) -> str:
    """The command behind a row, and what else is to be known of it."""
    return "; ".join(filter(None, [f"`{row['how']}`" if row["how"] else "", row["note"]]))


if __name__ == "__main__":
    main()
