"""The same questions asked several times, each time with new draws: one run after the other, and what they come to."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from ..base import InputError, MismatchError
from ..base.lazily import ShownInNotebooks
from ..runtime import RunBudget
from .journal.journal import HEADER
from .report.repeats_summary import RepeatsSummary, write_repeats
from .runner import Evaluation, QuestionLike, evaluate

if TYPE_CHECKING:
    from .progress import Progress


@dataclass(frozen=True, slots=True)
class Repeats(ShownInNotebooks):
    """Several finished runs over the same questions."""

    folder: Path
    """The folder that holds the folders of the runs, and their common summary."""
    runs: tuple[Evaluation, ...]
    """The runs, by their seeds."""
    summary: RepeatsSummary
    """The content of summary.json."""
    keep: Any = field(default=None, repr=False)
    """Holds on to a temporary folder for as long as the runs are in use."""

    def __fspath__(self) -> str:
        """The folder, as that of an `Evaluation`."""
        return os.fspath(self.folder)


def evaluate_repeatedly(
    program: dspy.Module,
    questions: Iterable[QuestionLike],
    *,
    repeats: int,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: "bool | Callable[[str], Progress]" = True,
    **options: Any,
) -> Repeats:
    """Answer the questions several times, with the seeds `seed`, `seed + 1` and so on, which share no kept answers.

    Each time is a run of its own in `repeat-1`, `repeat-2` and so on. The same call again does only what is missing,
    and with more repeats it goes on from there. At temperature 0, and with a built-in LM, the answers are likely the
    same.

    Args:
        program: The program that answers, as for `evaluate`.
        questions: The questions, as for `evaluate`.
        repeats: The number of runs.
        out: The folder of the runs; a temporary one by default.
        seed: The seed of the first run.
        progress: Show how far each run is; or a function that makes what shows it, from the name of the run's folder.
        **options: The other options of each run, as for `evaluate`.

    Raises:
        InputError: As `evaluate`.
        MismatchError: The folder holds a single run.
        RunFailed: A run was stopped; what is finished is kept.

    Examples:
        >>> import dspy
        >>> from multihop import Question, scripted
        >>> from multihop.evaluation import evaluate_repeatedly
        >>> from multihop.programs import Direct
        >>> question = Question(id="q1", question="Heads or tails?", answers=("heads",))
        >>> with dspy.context(lm=scripted([{"answer": "heads"}, {"answer": "tails"}])):
        ...     found = evaluate_repeatedly(Direct(), [question], repeats=2, progress=False)
        >>> em = found.summary["metrics"]["em"]
        >>> em["mean"], em["lowest"], em["highest"]
        (0.5, 0.0, 1.0)
    """
    if repeats < 1:
        raise InputError(f"repeats is a whole number from 1 on, not {repeats}.")
    temporary = tempfile.TemporaryDirectory(prefix="multihop-repeats-") if out is None else None
    folder = Path(temporary.name if temporary else out)  # type: ignore[arg-type]
    if (folder / HEADER).exists():
        raise MismatchError(f"{folder} holds a single run; choose another folder for repeats.")
    asked = list(questions) if isinstance(questions, Iterator) else questions
    if isinstance(options.get("budget_usd"), int | float):
        options["budget_usd"] = RunBudget(options["budget_usd"])
    runs = []
    for name, draw in repeat_names(repeats, seed):
        shown = progress if isinstance(progress, bool) else progress(name)
        runs.append(evaluate(program, asked, out=folder / name, seed=draw, progress=shown, **options))
    summary = write_repeats(folder, [run.folder for run in runs], [run.summary for run in runs])
    return Repeats(folder, tuple(runs), summary, temporary)


def repeat_names(repeats: int, seed: int) -> Iterator[tuple[str, int]]:
    """The folder's name and the seed of each of the runs."""
    return ((f"repeat-{number + 1}", seed + number) for number in range(repeats))
