"""A study: the runs of an experiment one after the other, each resumable, and the table they make."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError, MismatchError
from ..data import open_questions
from ..evaluation import default_metrics, evaluate, metric_named
from ..evaluation.header import identity
from ..evaluation.journal import FIRST, HEADER, check_identity, read_header
from ..evaluation.metrics import Judged, Metric
from ..evaluation.repeats import write_repeats
from ..evaluation.report import write_summary
from ..evaluation.stopping import check_ending
from ..evaluation.summary import Summary
from ..lms import scripted
from ..optimize.stages import Spending, Spent
from ..programs import create, program_named
from ..runtime import Budget, Program
from .answering import answering
from .asking import Sources, asked_sets
from .catalog import keep_experiment, open_experiment
from .compiled_rows import compiled_by, with_gold_demonstrations
from .experiment import Experiment
from .figures import JUDGED, metrics_needed
from .opening import OpenedSet, StudyLM
from .planning import BegunRun, PlannedRun, chosen_rows, plan_runs
from .row_weights import with_weights
from .study_options import StudyOptions
from .study_page import write_table
from .study_table import StudyTable, make_table

LEDGER, COMPILED = "calls", "compiled"


def reproduce(
    experiment: Experiment | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    lm: StudyLM | None = None,
    rows: Sequence[str] | None = None,
    questions: Sources | str | None = None,
    corpus: Sources | str | None = None,
    data: str | os.PathLike[str] | None = None,
    rules: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
    sample: int | None = None,
    sample_seed: int | None = None,
    max_calls: int | None = None,
    **options: Any,
) -> StudyTable:
    """Run the rows of an experiment and write the table: published, ours, the difference, what it cost.

    Every row is a run of its own in the folder. The same call again does only what is missing; a row that was made
    otherwise is refused, never joined.

    Args:
        experiment: The experiment, its name, or its file.
        out: The study's folder.
        lm: The LM that answers all rows: an LM, its name, or a function that makes one of a set's questions and
            passages. It fills the columns that are its own; of a table whose columns are of several other LMs it fills
            none, and is shown beside them. None where `lms` has all.
        rows: The rows to run; all by default. Rows that were run before are in the table as well.
        questions: Other questions than the file's, for all sets or by set; so "little".
        corpus: Another corpus, likewise.
        data: A folder in which the files are that the experiment names.
        rules: Whose rules score the answers, where not each set's own.
        limit: Only the first so many questions of each set.
        offset: Pass over so many questions of each set before, in the place of what the file says.
        sample: Draw so many of the rest, likewise.
        sample_seed: The seed they are drawn with, likewise.
        max_calls: LM calls that all invocations may make together; the study stops there, and the questions under way
            are asked again when it goes on.
        **options: See `StudyOptions`.

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
    found = experiment if isinstance(experiment, Experiment) else open_experiment(experiment)
    folder, given = Path(out), StudyOptions(lm=lm, **options)
    found = with_weights(found, given.weights)
    asked = asked_sets(
        found,
        questions={None: questions} if isinstance(questions, str) else questions,
        corpus={None: corpus} if isinstance(corpus, str) else corpus,
        data=None if data is None else Path(data),
        rules=rules,
        limit=limit,
        offset=offset,
        sample=sample,
        sample_seed=sample_seed,
    )
    plan = plan_runs(found, asked, repeats=given.repeats, beside=True)
    study = StudyRuns(found, folder, given, chosen_rows(found, rows), plan)
    study.answering.check(plan, rows or ())
    keep_experiment(experiment, folder)
    stopped = study.run(max_calls)
    table = make_table(found, study.plan, study.begun(), given, stopped=stopped)
    write_table(table, folder)
    return table


class StudyRuns:
    """The runs of one experiment in one folder."""

    def __init__(
        self, experiment: Experiment, folder: Path, options: StudyOptions, rows: set[str], plan: list[PlannedRun]
    ) -> None:
        """Nothing is opened yet."""
        self.experiment, self.folder, self.options = experiment, folder, options
        self.answering = answering(experiment, options.lm, options.lms)
        self.rows, self.plan = rows, plan
        self._opened: dict[str, OpenedSet] = {}
        self._summaries: dict[str, Summary] = {}

    def run(self, max_calls: int | None = None) -> bool:
        """Do what is missing; returns True if the calls were used up before all was done."""
        self.folder.mkdir(parents=True, exist_ok=True)
        learning = [planned for planned in self.plan if self.is_asked(planned) and self.training(planned)]
        if self.options.train and not learning:
            raise InputError("none of the rows shows demonstrations or is compiled; leave out --train.")
        for planned in self.plan:  # rows of other settings are refused before anything is paid
            self.check_times(planned)
            for number, folder in enumerate(planned.folders):
                if self.is_begun(folder):
                    self.check(planned, number)
        with (
            Spending(max_calls, ledger=self.folder / LEDGER) as spending,
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
        """Refuse a run in the folder that was made otherwise than this call would make it; where this call has no LM
        for it, whichever answered there before may have.

        Raises:
            MismatchError: It was; the message names the first thing that differs.
        """
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
        if lm is None:
            would["lm"] = read_header(folder)["identity"]["lm"]
        check_identity(folder, would)

    def check_times(self, planned: PlannedRun) -> None:
        """Refuse a folder that holds one run where several are wanted, or the other way round.

        Raises:
            MismatchError: It does.
        """
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
        return planned.row.name in self.rows and self.answering.lm_for(planned) is not None

    def lm(self, planned: PlannedRun) -> dspy.LM | None:
        """The LM that a run is asked with; None where none is given for it."""
        lm = self.answering.lm_for(planned)
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
        known = self.answering.by_name  # the other steps take the run's own LM
        if lms := {step: opened.lm(known[name]) for step, name in row.step_lms.items() if name in known}:
            settings["lms"] = lms
        if row.cloned:
            settings["cloned"] = row.cloned
        made = create(found, opened.retriever(row.search) if found.retrieves else None, **settings)
        source = self.training(planned)
        if source is None:
            return made
        seed = number if self.experiment.runs > 1 else 0  # the runs behind a paper's mean draw anew
        train, retriever = open_questions(source), opened.plain_retriever(row.search)
        training = self.experiment.training if row.training is None else row.training
        if row.compile is None:
            shots = self.experiment.shots if row.shots is None else row.shots
            return with_gold_demonstrations(made, shots, train, retriever, training=training, seed=seed)
        kept = self.folder / COMPILED / f"{planned.folder.replace('/', ' on ')}, {seed}.json"
        rules = planned.asked.rules
        return compiled_by(
            made,
            row.compile,
            train,
            retriever,
            kept=kept,
            rules=rules,
            by_steps=row.by_steps,
            training=training,
            seed=seed,
        )

    def training(self, planned: PlannedRun) -> str | None:
        """The source of the training questions that the row learns from; None for a row that learns nothing.

        Raises:
            InputError: The row is to be compiled, and there is none.
        """
        row, given = planned.row, self.options.train
        source = given.get(planned.sets[0], given.get(None)) or planned.asked.train
        if row.compile is not None and source is None:
            raise InputError(f"row '{row.name}' is compiled, and needs training questions (--train).")
        shots = self.experiment.shots if row.shots is None else row.shots
        return source if shots or row.compile is not None else None

    def metrics(self, planned: PlannedRun) -> list[Metric]:
        """The metrics of the run: those of every run, and those that the table shows besides."""
        rules = planned.asked.rules
        measured = {each.name: each for each in default_metrics(rules=rules)}
        for name in metrics_needed(planned.measures):
            if name != JUDGED:
                measured.setdefault(name, metric_named(name, rules=rules))
            elif self.options.judge is not None:
                measured[name] = Judged(self.options.judge)
        return list(measured.values())
