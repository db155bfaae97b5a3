"""A study: the runs of an experiment one after the other, each resumable, and the table they make."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError, MismatchError, check_known
from ..evaluation import default_metrics, evaluate, metric_named
from ..evaluation.header import identity
from ..evaluation.journal import FIRST, HEADER, check_identity, read_header
from ..evaluation.metrics import Judged, Metric
from ..evaluation.repeats import write_repeats
from ..evaluation.report import write_summary
from ..evaluation.stopping import check_ending
from ..evaluation.summary import Summary
from ..lms import scripted
from ..optimize.spending import Spending, Spent
from ..programs import create, program_named
from ..runtime import Budget, Program
from .experiment import Experiment
from .experiment_file import keep_experiment, open_experiment
from .figures import JUDGED, metrics_needed
from .learned_rows import learned_row, with_weights
from .plan import BegunRun, PlannedRun, Price, plan_runs, price
from .rendered_table import write_table
from .study_inputs import OpenedSet, StudyOptions, asked_sets
from .study_lms import StudyLMs
from .study_table import StudyTable, make_table


def reproduce(
    experiment: Experiment | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    allow: Collection[str] = (),
    **options: Any,
) -> StudyTable:
    """Run the rows of an experiment and write the table: published, ours, the difference, what it cost.

    Every row is a run of its own in the folder. The same call again does only what is missing; a row that was made
    otherwise is refused, never joined.

    Args:
        experiment: The experiment, its name, or its file.
        out: The study's folder.
        allow: See `open_experiment`.
        **options: The fields of `StudyOptions`, such as `lm`, `rows`, `questions` and `limit`.

    Raises:
        InputError: Something that was given cannot be used.
        MismatchError: The folder holds a row that was made with other settings, another LM, retriever or data.
        RunFailed: A row was stopped, or has ended, since its questions all failed in the same way.

    Examples:
        >>> import tempfile
        >>> from multihop.experiments import reproduce
        >>> table = reproduce(
        ...     "resp-table-1", out=tempfile.mkdtemp(), lm="local", rows=["Standard RAG"], questions="little", limit=2
        ... )
        >>> {row["row"] for row in table["rows"] if row["n"]}
        {'Standard RAG'}
    """
    found = experiment if isinstance(experiment, Experiment) else open_experiment(experiment, allow=allow)
    study = StudyRuns(found, Path(out), StudyOptions(**options))
    keep_experiment(experiment, study.folder)
    stopped = study.run()
    begun = list(study.begun())
    over = (each.planned for each in begun if each.planned.asked.over is not None)
    coverages = {planned.folder: study.opened(planned).coverage() for planned in over}
    table = make_table(study.experiment, study.plan, begun, study.options, coverages, stopped=stopped)
    write_table(table, study.folder)
    return table


class StudyRuns:
    """The runs of one experiment in one folder."""

    def __init__(self, experiment: Experiment, folder: Path, options: StudyOptions) -> None:
        """Plan them, and refuse options that do not fit; nothing is opened yet."""
        self.experiment = with_weights(experiment, options.weights)
        self.folder, self.options = folder, options
        for name in options.rows or ():
            check_known(f"row of {experiment.name}", name, [row.name for row in experiment.rows])
        asked = asked_sets(self.experiment, options)
        self.plan = plan_runs(self.experiment, asked, repeats=options.repeats, beside=True)
        self.lms = StudyLMs.given(self.experiment, options.lm, options.lms)
        self.lms.check(self.plan, options.rows or ())
        self._opened: dict[str, OpenedSet] = {}
        self._summaries: dict[str, Summary] = {}

    def prices(self) -> list[Price]:
        """The price of each run that would be asked."""
        return [price(planned, self.folder) for planned in self.plan if self.is_asked(planned)]

    def run(self) -> bool:
        """Do what is missing; returns True if the calls were used up before all was done."""
        learning = [planned for planned in self.plan if self.is_asked(planned) and self.training_source(planned)]
        if self.options.train and not learning:
            raise InputError("none of the rows shows demonstrations or is compiled; leave out --train.")
        for planned in filter(self.is_asked, self.plan):
            if planned.asked.over is not None:  # another corpus than the table's is refused as well
                self.opened(planned).coverage()
        for planned in self.plan:  # rows of other settings are refused before anything is paid
            self.check_times(planned)
            for number, folder in enumerate(planned.folders):
                if self.is_begun(folder):
                    self.check(planned, number)
        with (
            Spending(self.options.max_calls, ledger=self.folder / "calls") as spending,
            dspy.context(usage_tracker=spending),
        ):
            try:
                for planned in self.plan:
                    for number in range(planned.repeats if self.is_asked(planned) else 0):
                        spending.check()
                        self.answer(planned, number)
            except Spent:
                return True
        return False

    def answer(self, planned: PlannedRun, number: int) -> None:
        """Ask all questions of one time of a run, from the first that is not yet answered."""
        opened, options, folder = self.opened(planned), self.options, planned.folders[number]
        total = planned.asked.selection.count(opened.count, planned.asked.limit)
        title = f"{planned.label(filter(self.is_asked, self.plan))}, {planned.asked.title}"
        if planned.repeats > 1:
            title += f", {number + 1} of {planned.repeats}"
        with dspy.context(lm=self.lm(planned)):
            run = evaluate(
                self.program(planned, number),
                opened.questions,
                out=self.folder / folder,
                metrics=self.metrics(planned),
                concurrency=options.concurrency,
                limit=planned.asked.limit,
                offset=planned.asked.offset,
                sample=planned.asked.sample,
                sample_seed=planned.asked.sample_seed,
                seed=options.seed + number,
                cache=options.cache,
                progress=options.shows(title, total) if options.shows else False,
            )
        check_ending(run.rows(), run.folder)
        self._summaries[folder] = run.summary

    def check(self, planned: PlannedRun, number: int) -> None:
        """Refuse a run in the folder that was made otherwise than this call would make it."""
        opened = self.opened(planned)
        folder, lm = self.folder / planned.folders[number], self.lm(planned)
        with dspy.context(lm=lm or scripted([])):
            would = identity(
                self.program(planned, number),
                opened.questions,
                self.metrics(planned),
                selection=planned.asked.selection,
                draw=self.options.seed + number,
            )
        if lm is None:  # any may have answered there before
            would["lm"] = read_header(folder)["identity"]["lm"]
        check_identity(folder, would)

    def check_times(self, planned: PlannedRun) -> None:
        """Refuse a folder that holds one run where several are wanted, or the other way round."""
        once, several = self.is_begun(planned.folder), self.is_begun(f"{planned.folder}/{FIRST}")
        place = self.folder / planned.folder
        if once and planned.repeats > 1:
            raise MismatchError(f"{place} holds a single run; choose another folder, or ask once (--repeats 1).")
        if several and planned.repeats == 1:
            raise MismatchError(f"{place} holds repeats; choose another folder, or ask as often (--repeats).")

    def is_begun(self, folder: str) -> bool:
        """True if the folder, relative to the study's, holds anything of a run."""
        return (self.folder / folder / HEADER).exists()

    def begun(self) -> Iterator[BegunRun]:
        """The runs that the folder holds; those that ask several times are summed up."""
        for planned in self.plan:
            names = [name for name in planned.folders if self.is_begun(name)]
            if names:
                folders = [self.folder / name for name in names]
                summaries = [self._summaries.get(name) or write_summary(self.folder / name) for name in names]
                if planned.repeats > 1:
                    write_repeats(self.folder / planned.folder, folders, summaries)
                yield BegunRun(planned, folders, read_header(folders[0]), summaries)

    def is_asked(self, planned: PlannedRun) -> bool:
        """True if the run's row is chosen and an LM is given for it."""
        rows = self.options.rows
        return (not rows or planned.row.name in rows) and self.lms.lm_for(planned) is not None

    def lm(self, planned: PlannedRun) -> dspy.LM | None:
        """The LM that a run is asked with; None where none is given for it."""
        lm = self.lms.lm_for(planned)
        return None if lm is None else self.opened(planned).lm(lm)

    def opened(self, planned: PlannedRun) -> OpenedSet:
        """The question set of the run."""
        key = repr(planned.asked)
        if key not in self._opened:
            self._opened[key] = OpenedSet(planned.asked, self.folder, self.options.search)
        return self._opened[key]

    def program(self, planned: PlannedRun, number: int) -> Program:
        """The program of the run, ready to be asked."""
        opened, row, options = self.opened(planned), planned.row, self.options
        found = program_named(row.program)
        settings: dict[str, Any] = {**planned.settings, "concurrency": options.concurrency}
        if options.budget_calls is not None:
            settings["budget"] = Budget(calls=options.budget_calls)
        known = self.lms.by_name  # the other steps take the run's own LM
        if lms := {step: opened.lm(known[name]) for step, name in row.step_lms.items() if name in known}:
            settings["lms"] = lms
        if row.cloned:
            settings["cloned"] = row.cloned
        made = create(found, opened.retriever(row.search) if found.retrieves else None, **settings)
        source = self.training_source(planned)
        if source is None:
            return made
        shots, retriever = self.experiment.shots_of(row), opened.plain_retriever(row.search)
        return learned_row(made, planned, number, shots=shots, source=source, retriever=retriever, folder=self.folder)

    def training_source(self, planned: PlannedRun) -> str | None:
        """The source of the training questions that the row learns from; None for a row that learns nothing."""
        row, given = planned.row, self.options.train
        source = given.get(planned.sets[0], given.get(None)) or planned.asked.train
        if row.compile is not None and source is None:
            raise InputError(f"row '{row.name}' is compiled, and needs training questions (--train).")
        return source if self.experiment.shots_of(row) or row.compile is not None else None

    def metrics(self, planned: PlannedRun) -> list[Metric]:
        """The metrics of the run: those of every run, and the others that the table shows."""
        rules = planned.asked.rules
        measured = {each.name: each for each in default_metrics(rules=rules)}
        for name in metrics_needed(planned.measures):
            if name != JUDGED:
                measured.setdefault(name, metric_named(name, rules=rules))
            elif self.options.judge is not None:
                measured[name] = Judged(self.options.judge)
        return list(measured.values())
