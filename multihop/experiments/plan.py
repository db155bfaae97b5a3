"""The runs of a study: every row on every question set that is asked, no run twice; and their price."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ..data import open_questions
from ..data.little import is_little
from ..evaluation.header import Header
from ..evaluation.journal import read_rows
from ..evaluation.repeats import repeat_names
from ..evaluation.summary import Summary
from ..optimize.compiling import ENOUGH, small
from ..optimize.variants import variant_named
from ..programs import create, program_named
from ..retrieval import Hit
from ..runtime import settings_of
from .experiment import Experiment, Measure, QuestionSet, TableRow
from .figures import JUDGED, is_of_passages

COMPILED = "compiled"
READS = "reads"
"""The setting that says whether a program reads what it finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run of a study."""

    row: TableRow
    sets: tuple[str, ...]
    """The experiment's sets, by their short names, that it answers for."""
    asked: QuestionSet
    lm: str | None
    """The LM behind the columns that it fills; None for one that is behind none of them, and shown beside."""
    settings: dict[str, Any] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    """The measures of its cells."""
    folder: str = ""
    repeats: int = 1
    """The number of times it asks, each with another seed."""
    learns_anew: bool = False
    """True if a row that learns does so each time, from demonstrations drawn anew."""
    training: int = 0
    """The number of training questions of a row that learns."""

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

    def compile_calls(self, folder: Path | None) -> int | None:
        """About the LM calls that compile its row, without programs that the study's folder holds; None if unknown."""
        kept = {self.compiled(number) for number in range(self.repeats)}
        missing = sum(folder is None or not (folder / each).exists() for each in kept)
        if self.row.compile is None or not missing:
            return 0
        variant, program = variant_named(self.row.compile), create(self.row.program, find_nothing, **self.settings)
        if self.row.by_steps:
            return missing * variant.runs(min(ENOUGH, self.training)) * len(program.predictors())
        runs, calls = variant.runs(self.training), small(program).most_calls()
        return None if calls is None and runs else missing * runs * (calls or 0)

    def seed(self, number: int) -> int:
        """The seed with which it learns at one time: the runs behind a paper's mean draw anew."""
        return number if self.learns_anew else 0

    def compiled(self, number: int) -> str:
        """The file of the program that it asks at one time, where its row is compiled."""
        return f"{COMPILED}/{self.folder.replace('/', ' on ')}, {self.seed(number)}.json"

    def label(self, plan: Iterable["PlannedRun"], models: Sequence[str] = ("another LM",)) -> str:
        """The row's name, with its LM, or the models that answered, where the plan has runs of several for that row."""
        alike = sum(each.row is self.row and each.sets == self.sets for each in plan)
        return self.row.name if alike == 1 else f"{self.row.name}, {self.lm or ' and '.join(models)}"


class BegunRun(NamedTuple):
    """A planned run, as far as the study's folder holds it."""

    planned: PlannedRun
    folders: list[Path]
    """The folder of each time that it has begun to ask."""
    header: Header
    summaries: list[Summary]

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
    """The runs in the order of the table, one for each LM behind a row; with `beside`, one of another LM as well."""
    plan: list[PlannedRun] = []
    folders = row_folders(experiment.rows)
    for row in (each for each in experiment.rows if each.program):
        runs: dict[str, list[str]] = {}
        for name in experiment.sets:
            key = ujson.dumps([repr(asked[name]), experiment.settings(row, name)], sort_keys=True)
            runs.setdefault(key, []).append(name)
        for names in runs.values():
            limits = [limit for limit in (asked[names[0]].limit, row.limit) if limit is not None]
            first = replace(asked[names[0]], limit=min(limits, default=None))
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
                        learns_anew=experiment.runs > 1,
                        training=experiment.training if row.training is None else row.training,
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


class Price(NamedTuple):
    """The price of one run."""

    run: PlannedRun
    questions: int | None
    """The number of questions it asks, each as often as it repeats; None if that is known only after the set has been
    fetched."""
    finished: int
    """The number of them that the study's folder holds."""
    most_calls: int | None
    """LM calls for those that are missing, at most; None where they cannot be known."""
    compile_calls: int | None
    """About the LM calls that compile its row, where that is still to be done; None where they cannot be known."""
    judge_calls: int | None
    """Calls of the judge for those that are missing, at most; 0 for a run that is not judged."""


def price(planned: PlannedRun, folder: Path | None = None, *, counts: bool = True) -> Price:
    """The price of a run, without what the study's folder holds; with `counts`, sources here are opened and counted."""
    once = _count_questions(planned.asked) if counts else planned.asked.asked
    questions = None if once is None else once * planned.repeats
    folders = [] if folder is None else [folder / each for each in planned.folders]
    rows = [{row["id"]: row["status"] for row in read_rows(each)} for each in folders]
    finished = sum(status != "error" for last in rows for status in last.values())
    missing = None if questions is None else max(questions - finished, 0)
    most_calls = None if planned.most_calls is None or missing is None else planned.most_calls * missing
    is_judged = any(JUDGED in measure.metric.split("/") for measure in planned.measures)
    judge_calls = missing if is_judged else 0
    return Price(planned, questions, finished, most_calls, planned.compile_calls(folder), judge_calls)


def _count_questions(asked: QuestionSet) -> int | None:
    """The number of questions asked: counted if the source is on this machine."""
    if asked.asking or not (is_little(asked.questions) or Path(asked.questions).exists()):
        return asked.asked
    return asked.selection.count(sum(1 for _ in open_questions(asked.questions)), asked.limit)
