"""The table of a protocol on docs/board.md: ours and the published, with what each is made of and has learned from."""

import tomllib
from collections.abc import Iterator
from typing import Any

from board_rows import BOARD, read_rows

from multihop.evaluation.report import as_table
from multihop.experiments import open_experiment
from multihop.experiments.experiment import Experiment, TableRow

PUBLISHED = BOARD.with_name("published.toml")
PROTOCOLS = {"protocol-a": ("recall@5", "f1"), "protocol-b": ("em",)}
"""The measures of a protocol that the board shows."""
FACTS = {
    "models": "models",
    "indexing": "an LM reads to index",
    "calls": "LM calls a question",
    "learned": "learned on",
}
"""The columns of what a system is, by the keys of published.toml."""
NONE = "–"


def facts(protocol: str) -> dict[str, dict[str, Any]]:
    """The facts of published.toml about each row's system, by the row's name."""
    found: dict[str, dict[str, Any]] = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))[protocol]
    return found


def published(protocol: str) -> dict[str, dict[tuple[str, str], float | None]]:
    """The published figures of each row, by set and measure."""
    experiment = open_experiment(protocol)
    places = [(column.set, column.metric) for column in experiment.columns]
    return {row.name: dict(zip(places, row.published, strict=True)) for row in experiment.rows if any(row.published)}


def protocol_table(protocol: str) -> str:
    """The table: rows of ours first, then the published ones, each as the experiment orders them."""
    experiment, known = open_experiment(protocol), facts(protocol)
    shown = [key for key in FACTS if any(key in each for each in known.values())]
    columns = [each for metric in PROTOCOLS[protocol] for each in experiment.columns if each.metric == metric]
    heads = [f"{_title(experiment, each.set)} {each.title or each.metric.upper()}" for each in columns]
    ours = {row["row"]: row["sets"] for row in read_rows(BOARD / protocol, protocol)}
    rows = []
    for row, is_ours in _rows(experiment):
        if is_ours:
            claims = ours.get(row.name, {})
            figures = [_figure(claims.get(each.set, {}).get(each.metric)) for each in columns]
        else:
            figures = [_plain(published(protocol)[row.name][each.set, each.metric]) for each in columns]
        name = f"**{row.name}**" if is_ours else row.name
        rows.append([name, *(known.get(row.name, {}).get(key, NONE) for key in shown), *figures])
    return as_table(["", *(FACTS[key] for key in shown), *heads], rows, texts=1 + len(shown))


def _rows(experiment: Experiment) -> Iterator[tuple[TableRow, bool]]:
    """Each row that is asked as ours, and each that has published figures: those that are both come twice."""
    yield from ((row, True) for row in experiment.rows if row.program)
    yield from ((row, False) for row in experiment.rows if any(row.published))


def _title(experiment: Experiment, name: str) -> str:
    return experiment.sets[name].title if name in experiment.sets else name


def _figure(claim: dict[str, Any] | None) -> str:
    if claim is None:
        return NONE
    half = f"±{(claim['high'] - claim['low']) / 2:.0f}" if "low" in claim else ""
    return f"{claim['mean']:.1f}{half} ({claim['n']})"


def _plain(figure: float | None) -> str:
    if figure is None:
        return NONE
    return f"{figure:.1f}" if round(figure, 1) == figure else f"{figure:.2f}"
