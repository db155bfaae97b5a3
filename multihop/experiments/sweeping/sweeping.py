"""A sweep: one run for each point of a grid of settings, each resumable, and the table they make."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import dspy

from ...base import InputError, reword
from ...base.plain import plain_value
from ...data import Question, Selection, as_questions
from ...evaluation import default_metrics, evaluate
from ...evaluation.journal.header import identity
from ...evaluation.journal.journal import HEADER, check_identity, read_header
from ...evaluation.metrics.named import metrics_of
from ...evaluation.progress import Progress
from ...evaluation.repeats import RunOptions
from ...evaluation.report.report import write_summary
from ...evaluation.runner import QuestionLike
from ...optimize.prompts.stages import Spending, Spent
from ...programs import create
from ...retrieval import RetrieverLike
from ...runtime import Program
from ..pricing import count_finished
from .left_open import preset_to_sweep
from .points import MAX_POINTS, SweepPoint, plan_points
from .sweep_page import write_sweep
from .sweep_table import SweepTable, SweptRun, make_sweep_table

LEDGER, POINTS = "calls", "points"
Shows = Callable[[str, int], Progress]
"""Makes the display of a run's progress, from its name and its number of questions."""


def sweep(
    program: str | type[Program] | Callable[..., Program],
    questions: Iterable[QuestionLike],
    *,
    over: Mapping[str, Sequence[Any]] | None = None,
    out: str | os.PathLike[str],
    retriever: RetrieverLike | None = None,
    settings: Mapping[str, Any] | None = None,
    preset: str | None = None,
    one_at_a_time: bool = False,
    max_points: int = MAX_POINTS,
    max_calls: int | None = None,
    seed: int = 0,
    shows: Shows | None = None,
    **options: Unpack[RunOptions],
) -> SweepTable:
    """Run a program at each of many values of its settings, and set every point beside the default.

    Every point is a run of its own in the folder. The same call again does only what is missing, and one over other
    values adds their points; a point that was made otherwise is refused, never joined.

    Args:
        program: The program's name or class, or a function that makes it of its settings.
        questions: As `evaluate` takes them.
        over: The values of each setting that is swept; the default is a point whether it is among them or not. Without
            them, those of the preset that its paper leaves open, each setting alone.
        out: The sweep's folder.
        retriever: What a program given by its name or class searches.
        settings: Settings that are the same at all points, and the default of those that are swept.
        preset: A paper's values below these, by the preset's name; without `over` the first that has the program.
        one_at_a_time: Vary each setting alone, the others as by default, in the place of all combinations.
        max_points: More points are refused.
        max_calls: LM calls that all invocations may make together; the sweep stops there, and the questions under way
            are asked again when it goes on.
        seed: Another seed draws anew.
        shows: Makes the display of a run's progress; none by default.
        **options: The options of each run, as `evaluate` has them.

    Raises:
        InputError: Something that was given cannot be used.
        MismatchError: The folder holds a point that was made with other settings, another LM, retriever or data.
        RunFailed: A run was stopped, since its first questions all failed in the same way.

    Examples:
        >>> import tempfile, dspy
        >>> from multihop import BM25, World, simulated
        >>> from multihop.experiments import sweep
        >>> world = World(questions=4)
        >>> asked, pages = list(world.questions()), list(world.passages())
        >>> with dspy.context(lm=simulated(asked, pages)), tempfile.TemporaryDirectory() as folder:
        ...     table = sweep("one-step", asked, over={"k": [1, 5]}, retriever=BM25.build(pages), out=folder)
        >>> [row["settings"] for row in table["rows"]], table["simulated"]
        ([{'k': 5}, {'k': 1}], True)
    """
    given = as_questions(questions)
    if isinstance(program, str | type):
        if over is None:
            name = program if isinstance(program, str) else str(getattr(program, "name", program.__name__))
            preset, part = preset_to_sweep(name, preset)
            over, one_at_a_time = part.left_open(), True
        make: Callable[..., Program] = partial(create, program, retriever, preset=preset)
    elif over is None or preset is not None:
        raise InputError("a function that makes the program is swept over values that are given, without a preset.")
    else:
        make = program
    runs = SweepRuns(partial(make, **(settings or {})), given, Path(out), seed=seed, options=options)
    points = plan_points(runs.program, over, one_at_a_time=one_at_a_time, most=max_points)
    return runs.run(points, max_calls=max_calls, shows=shows)


class PointPrice(NamedTuple):
    """The price of one point."""

    point: SweepPoint
    """The point."""
    questions: int
    """The number of questions it asks."""
    finished: int
    """The number of them that the sweep's folder holds."""
    most_calls: int | None
    """LM calls for those that are missing, at most; None where nobody knows."""


class SweepRuns:
    """The runs of a sweep in one folder."""

    def __init__(
        self,
        make: Callable[..., Program],
        questions: Iterable[Question],
        folder: Path,
        *,
        seed: int = 0,
        options: RunOptions | None = None,
    ) -> None:
        """Make the program as by default; nothing is asked yet.

        Args:
            make: Makes the program of the settings of a point.
            questions: The questions, which can be gone through several times.
            folder: The sweep's folder.
            seed: The seed of each run.
            options: The options of each run.
        """
        self.make, self.questions, self.folder = make, questions, folder
        self.seed, self.options = seed, options or {}
        self.program = make()
        metrics = self.options.get("metrics")
        self.metrics = default_metrics() if metrics is None else metrics_of(metrics)

    @property
    def total(self) -> int:
        """The number of questions that each point asks."""
        return self._selection.count(sum(1 for _ in self.questions), self.options.get("limit"))

    def program_at(self, point: SweepPoint) -> Program:
        """The program at a point.

        Raises:
            InputError: Its settings do not go together.
        """
        try:
            return self.make(**point.changed)
        except InputError as error:
            raise reword(error, f"at {point.title}: {error}") from None

    def price(self, points: Iterable[SweepPoint]) -> list[PointPrice]:
        """The price of each point; nothing is asked."""
        total, found = self.total, []
        for point in points:
            finished, each = count_finished(self._place(point)), self.program_at(point).most_calls()
            missing = max(total - finished, 0)
            found.append(PointPrice(point, total, finished, None if each is None else each * missing))
        return found

    def run(
        self, points: Sequence[SweepPoint], *, max_calls: int | None = None, shows: Shows | None = None
    ) -> SweepTable:
        """Do what is missing, and write the table of these points and those that were run before."""
        programs = [self.program_at(point) for point in points]  # what does not go together is refused first
        earlier = self.earlier_points(points)
        for point, program in chain(zip(points, programs, strict=True), ((p, self.program_at(p)) for p in earlier)):
            if (self._place(point) / HEADER).exists():
                self._check(point, program)
        self.folder.mkdir(parents=True, exist_ok=True)
        stopped = False
        with Spending(max_calls, ledger=self.folder / LEDGER) as spending, dspy.context(usage_tracker=spending):
            try:
                for point, program in zip(points, programs, strict=True):
                    spending.check()
                    self._answer(point, program, shows)
            except Spent:
                stopped = True
        runs = list(self._begun([*points, *earlier]))
        table = make_sweep_table(self.program.name, self.program.settings, points, runs, stopped=stopped)
        write_sweep(table, self.folder)
        return table

    def earlier_points(self, points: Sequence[SweepPoint]) -> list[SweepPoint]:
        """The points that the folder holds besides these."""
        known, usual = {point.folder for point in points}, plain_value(self.program.settings)
        found = []
        for header in sorted(self.folder.glob(f"{POINTS}/*/{HEADER}")):
            if header.parent.name not in known:
                there = read_header(header.parent)["identity"]["program"]["settings"]
                changed = {name: value for name, value in there.items() if value != usual.get(name)}
                found.append(SweepPoint(dict(changed), changed))
        return found

    def _answer(self, point: SweepPoint, program: Program, shows: Shows | None) -> None:
        """Ask all questions of a point that are not yet answered."""
        shown = shows(f"{program.name}, {point.title}", self.total) if shows else False
        options: RunOptions = {**self.options, "metrics": self.metrics}
        evaluate(program, self.questions, out=self._place(point), seed=self.seed, progress=shown, **options)

    def _check(self, point: SweepPoint, program: Program) -> None:
        """Refuse a point in the folder that was made otherwise than this call would make it."""
        would = identity(program, self.questions, self.metrics, selection=self._selection, draw=self.seed)
        check_identity(self._place(point), would)

    def _begun(self, points: Sequence[SweepPoint]) -> Iterator[SweptRun]:
        """The runs of the points that have any row, each with the values of all settings that differ."""
        usual = plain_value(self.program.settings)
        names = dict.fromkeys(name for point in points for name in point.settings)
        for point in (each for each in points if (self._place(each) / HEADER).exists()):
            folder = self._place(point)
            summary = write_summary(folder)
            if summary["n"]:
                values = {name: point.changed.get(name, usual[name]) for name in names}
                yield SweptRun(SweepPoint(values, point.changed), folder, read_header(folder), summary)

    def _place(self, point: SweepPoint) -> Path:
        return self.folder / POINTS / point.folder

    @property
    def _selection(self) -> Selection:
        options = self.options
        return Selection(options.get("offset", 0), options.get("sample"), options.get("sample_seed", 0))
