"""Gathers the rows that `multihop choose` rests on from the folders of runs, into multihop/experiments/measured.json.

    python benchmarks/measured_rows.py runs/study runs/one-step --data ../shared/data
    python benchmarks/measured_rows.py runs/study --data ../shared/data --timed     # nothing else ran on the machine

Every run below the folders is a row: those of `evaluate`, `reproduce` and `compile`. Rows that were there before are
kept; of two of one LM, set, program, variant and retriever, with equal settings and form, the newer one stays. DATA
holds the sets, as SET.dev.jsonl.gz, SET.train.jsonl.gz and SET.corpus.jsonl.gz; a run belongs to the set that its
questions are of.
`python docs/make_choose.py` then writes the tables of docs/guide/choose.md, and `pytest tests/test_pages.py -k choose
--fill-pages` what its commands print.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from multihop import open_corpus, open_questions
from multihop.base import InputError
from multihop.base.plain import plain_value
from multihop.base.plurals import say_count
from multihop.encoder import Encoder
from multihop.evaluation.journal.header import Header
from multihop.evaluation.journal.journal import HEADER, read_header, read_rows
from multihop.evaluation.report.summary import Measured
from multihop.experiments import open_experiment
from multihop.experiments.catalog import KEPT
from multihop.experiments.choosing.lm_kind import BUILT_IN_SIZES, short_name, size_in_name
from multihop.experiments.choosing.measured import FILE, ZERO_SHOT, MeasuredFigure, MeasuredRow, measured_rows
from multihop.experiments.planning import row_folders
from multihop.programs import program_named
from multihop.runtime import settings_of

SUMMARY = "summary.json"
REFERENCES = ("gold", "mixed")
"""Retrievers that know the gold, by the beginnings of their fingerprints."""
FEWEST = 20
"""Questions that a row has at least: of fewer, its interval says nothing."""


class KnownSet(NamedTuple):
    """A question set as rows name it."""

    name: str
    passages: int
    hops: float
    ids: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with runs in them, at any depth")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the question sets")
    parser.add_argument("--timed", action="store_true", help="the machine was quiet: seconds count")
    parser.add_argument("--fewest", type=int, default=FEWEST, help="leave out runs of fewer questions")
    parser.add_argument("--to", type=Path, default=FILE)
    given = parser.parse_args()
    if not given.data.is_dir():
        raise SystemExit(f"there are no question sets in {given.data}; give their folder with --data")
    sets = known_sets(given.data)
    found = []
    for folder in run_folders(given.folders):
        try:
            found.append(row_of(folder, sets, timed=given.timed, fewest=given.fewest))
        except InputError as error:
            print(f"left out: {folder}: {error}", file=sys.stderr)
    rows = merged([*measured_rows(), *found])
    given.to.write_text(as_text(rows), encoding="utf-8")
    print(f"{say_count(len(found), 'run')}; {given.to} has {say_count(len(rows), 'row')}")


def known_sets(folder: Path) -> list[KnownSet]:
    """The sets of a folder."""
    sets = []
    for corpus in sorted(folder.glob("*.corpus.jsonl.gz")):
        name = corpus.name.partition(".")[0]
        dev = list(open_questions(folder / f"{name}.dev.jsonl.gz"))
        train = folder / f"{name}.train.jsonl.gz"
        ids = {each.id for each in dev} | ({each.id for each in open_questions(train)} if train.exists() else set())
        hops = sum(each.hops for each in dev) / len(dev)
        sets.append(KnownSet(name, sum(1 for _ in open_corpus(corpus)), round(hops, 2), frozenset(ids)))
    return sets


def run_folders(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders of all runs below those."""
    for folder in folders:
        yield from sorted(path.parent for path in folder.rglob(HEADER) if (path.parent / SUMMARY).exists())


def row_of(folder: Path, sets: Iterable[KnownSet], *, timed: bool, fewest: int = FEWEST) -> MeasuredRow:
    """The row of a run.

    Raises:
        InputError: The run cannot be one: simulated, too short, of several LMs, of no known set, or told the gold.
    """
    header, summary = read_header(folder), ujson.loads((folder / SUMMARY).read_text())
    if summary["simulated"]:
        raise InputError("it was simulated.")
    if summary["n"] < fewest:
        raise InputError(f"it has only {summary['n']} questions.")
    identity = header["identity"]
    models = {(each["model"], each.get("structured", "text")) for each in identity["lm"].values()}
    if len(models) != 1:
        raise InputError(f"it has {len(models)} LMs.")
    [(model, structured)] = models
    retriever = retriever_kind(identity["retriever"])
    if retriever is not None and retriever.startswith(REFERENCES):
        raise InputError("it searched what gold tells.")
    asked = {row["id"] for row in read_rows(folder)}
    known = next((each for each in sets if asked <= each.ids), None)
    if known is None:
        raise InputError("its questions are of no set that is here.")
    lm, n = short_name(model), summary["n"]
    tokens = summary["cost"]["tokens"].values()
    return MeasuredRow(
        program=identity["program"]["name"],
        settings=own_settings(identity["program"]["name"], identity["program"]["settings"]),
        variant=variant_of(folder, header),
        lm=lm,
        size=BUILT_IN_SIZES.get(lm, size_in_name(lm)),
        structured=structured,
        set=known.name,
        retriever=retriever,
        passages=known.passages,
        hops=known.hops,
        n=n,
        em=figure(summary["metrics"]["em"]),
        f1=figure(summary["metrics"]["f1"]),
        calls=round(summary["cost"]["calls"]["mean"], 2),
        tokens_in=round(sum(each["in"] for each in tokens) / n),
        tokens_out=round(sum(each["out"] for each in tokens) / n),
        prefix_cached=None,
        seconds=round(summary["timing"]["seconds"]["mean"], 2) if timed else None,
        unreadable=summary["cost"]["parse_failures"],
        measured=header["started"][:10],
    )


def own_settings(program: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not the default."""
    defaults = {name: plain_value(each.default) for name, each in settings_of(program_named(program)).items()}
    own = {name: value for name, value in settings.items() if value != defaults.get(name)}
    if own.get("weights") == Encoder.load().fingerprint:  # the built-in ones, as runs name them
        del own["weights"]
    if budget := own.get("budget"):
        own["budget"] = {name: limit for name, limit in budget.items() if limit is not None}
    return own


def variant_of(folder: Path, header: Header) -> str:
    """The way in which the program was compiled: as the study or the compilation tells, or else the demonstrations."""
    for study in folder.parents[:3]:
        if (study / KEPT).exists():
            rows = open_experiment(study / KEPT).rows
            names = {slug: name for name, slug in row_folders(rows).items()}
            row = next(each for each in rows if each.name == names[folder.relative_to(study).parts[0]])
            if row.compile is not None:
                return row.compile
    if folder.parent.name == "dev" and folder.parent.parent.suffix == ".work":
        return folder.name
    shown = max((len(each["demos"]) for each in header["identity"]["program"]["prompts"].values()), default=0)
    return f"labeled-{shown}" if shown else ZERO_SHOT


def retriever_kind(fingerprint: str | None) -> str | None:
    """The kind of retriever that a fingerprint begins with."""
    return None if fingerprint is None else re.split(r"-[0-9a-f]{8}", fingerprint)[0]


def figure(measured: Measured) -> MeasuredFigure:
    """The figure in percent, errors as 0."""
    share = measured["mean_over_all"] / measured["mean"] if measured["mean"] else 1.0
    mean, low, high = (round(100 * share * each, 1) for each in (measured["mean"], measured["low"], measured["high"]))
    return MeasuredFigure(mean, low, high)


def merged(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """The rows in order, of several with one key the newest, the last of one day."""
    newest: dict[Any, MeasuredRow] = {}
    for row in rows:
        if row.key not in newest or row.measured >= newest[row.key].measured:
            newest[row.key] = row
    return [newest[key] for key in sorted(newest)]


def as_text(rows: Iterable[MeasuredRow]) -> str:
    """The file's text: a row a line."""
    lines = (ujson.dumps(asdict(row), ensure_ascii=False, escape_forward_slashes=False) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    main()
