"""The runs of a study: every row on every question set that is asked, the same run never twice."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ..base import unknown
from ..evaluation.header import Header
from ..evaluation.repeats import repeat_names
from ..evaluation.summary import Summary
from ..programs import create, program_named
from ..retrieval import Hit
from ..runtime import settings_of
from .experiment import Experiment, Measure, QuestionSet, TableRow
from .figures import JUDGED, is_of_passages

READS = "reads"
"""The setting that says whether a program reads what it finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run of a study."""

    row: TableRow
    """The row it is for."""
    sets: tuple[str, ...]
    """The experiment's sets, by their short names, in whose place it asks."""
    asked: QuestionSet
    """The set that it asks."""
    settings: dict[str, Any]
    """The program's settings."""
    measures: tuple[Measure, ...]
    """The measures of its cells."""
    lm: str | None
    """The LM behind the columns that it fills; None for one that is behind none of them, and shown beside."""
    folder: str
    """Its folder, from the study's."""
    repeats: int = 1
    """The number of times it asks, each with another seed."""

    @property
    def folders(self) -> list[str]:
        """The folder of each time, from the study's; that of the run itself where it asks once."""
        if self.repeats == 1:
            return [self.folder]
        return [f"{self.folder}/{name}" for name, _ in repeat_names(self.repeats, seed=0)]

    @property
    def most_calls(self) -> int | None:
        """LM calls a question at most; None where the program does not say."""
        return create(program_named(self.row.program), find_nothing, **self.settings).most_calls()

    @property
    def is_judged(self) -> bool:
        """True if a judge is asked about its answers."""
        return any(JUDGED in measure.metric.split("/") for measure in self.measures)

    def label(self, plan: Iterable["PlannedRun"], models: Sequence[str] = ("another LM",)) -> str:
        """Its row, with the LM where the plan has runs of several LMs for that row on the same questions.

        Args:
            plan: The runs that it is told apart from.
            models: The models that answered, as a name for an LM that is behind none of the columns.
        """
        alike = sum(each.row is self.row and each.sets == self.sets for each in plan)
        return self.row.name if alike == 1 else f"{self.row.name}, {self.lm or ' and '.join(models)}"


class BegunRun(NamedTuple):
    """A planned run, as far as the study's folder holds it."""

    planned: PlannedRun
    """The run as it was planned."""
    folders: list[Path]
    """The folder of each time that it has begun to ask."""
    header: Header
    """The header of the first time."""
    summaries: list[Summary]
    """The summary of each time."""

    @property
    def questions(self) -> int:
        """The number of questions it has finished; the fewest of all times."""
        return min(summary["n"] for summary in self.summaries)


def plan_runs(
    experiment: Experiment,
    asked: Mapping[str, QuestionSet],
    *,
    repeats: int | None = None,
    beside: bool = False,
) -> list[PlannedRun]:
    """The runs in the order of the table, of a row whose columns are of several LMs one for each of these.

    Where all its figures are of the passages that it finds, a run does not read, if its program can do without.

    Args:
        experiment: The experiment to run.
        asked: The set to ask in the place of each of its sets.
        repeats: The number of times each row is asked, if not as the experiment says.
        beside: Plan also the runs of an LM that is none of the published ones, for rows that it does not stand in.
    """
    plan: list[PlannedRun] = []
    folders = row_folders(experiment.rows)
    for row in experiment.rows:
        runs: dict[str, list[str]] = {}
        for name in experiment.sets:
            key = ujson.dumps([repr(asked[name]), experiment.settings(row, name)], sort_keys=True)
            runs.setdefault(key, []).append(name)
        for names in runs.values():
            first = _limited(asked[names[0]], row.limit)
            others = [asked[other[0]].name for other in runs.values() if other is not names]
            place = f"{first.name}-for-{names[0]}" if first.name in others else first.name
            for lm, measures in _measures_by_lm(experiment, row, names, beside=beside).items():
                apart = [] if lm in (None, experiment.main_lm) else [slug(lm)]
                plan.append(
                    PlannedRun(
                        row=row,
                        sets=tuple(names),
                        asked=first,
                        settings=_settings(row.program, experiment.settings(row, names[0]), measures),
                        measures=measures,
                        lm=lm,
                        folder="/".join([folders[row.name], *apart, place]),
                        repeats=experiment.repeats(row) if repeats is None else repeats,
                    )
                )
    return plan


def _measures_by_lm(
    experiment: Experiment, row: TableRow, sets: Iterable[str], *, beside: bool
) -> dict[str | None, tuple[Measure, ...]]:
    """The measures of a row's columns on some sets, by the LM behind them; under None those of one that is beside."""
    columns = [column for column in experiment.columns if column.set in sets]
    found: dict[str | None, dict[Measure, None]] = {}
    for column in columns:
        found.setdefault(experiment.lm_behind(row, column), {})[experiment.measure(row, column)] = None
    if None in found or (beside and columns and experiment.main_lm not in found):
        found[None] = dict.fromkeys(experiment.measure(row, column) for column in columns)
    return {lm: tuple(measures) for lm, measures in found.items()}


def _settings(program: str, settings: dict[str, Any], measures: Iterable[Measure]) -> dict[str, Any]:
    """The settings, and not to read where that is possible and nothing is measured of an answer or of what it costs."""
    if READS not in settings_of(program_named(program)) or not all(map(is_of_passages, measures)):
        return settings
    return {READS: False, **settings}


def _limited(asked: QuestionSet, limit: int | None) -> QuestionSet:
    if limit is None or (asked.limit is not None and asked.limit <= limit):
        return asked
    return replace(asked, limit=limit)


def chosen_rows(experiment: Experiment, names: Iterable[str] | None) -> set[str]:
    """The names of the rows to run; all of them where none is named.

    Raises:
        InputError: The experiment has no such row.
    """
    rows = [row.name for row in experiment.rows]
    for name in names or ():
        if name not in rows:
            raise unknown(f"row of {experiment.name}", name, rows)
    return set(names or rows)


def row_folders(rows: Sequence[TableRow]) -> dict[str, str]:
    """A folder's name for each row, no two alike."""
    found: dict[str, str] = {}
    for row in rows:
        name = slug(row.name)
        same = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", other) is not None for other in found.values())
        found[row.name] = f"{name}-{same + 1}" if name in found.values() else name
    return found


def slug(name: str) -> str:
    """The name as that of a folder."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "row"


def find_nothing(query: str, k: int) -> list[Hit]:
    """A retriever for a program that is made and not asked."""
    return []
