"""The price of a study before it begins: questions and LM calls, from what the programs say of themselves."""

from pathlib import Path
from typing import NamedTuple

from ..data import open_questions
from ..data.little import is_little
from ..evaluation.journal import ROWS, read_rows
from .experiment import QuestionSet
from .planning import PlannedRun


class Price(NamedTuple):
    """The price of one run."""

    run: PlannedRun
    """The run."""
    questions: int | None
    """The number of questions it asks, each as often as it repeats; None if that is known only after the set has been
    fetched."""
    finished: int
    """The number of them that the study's folder holds."""
    most_calls: int | None
    """LM calls for those that are missing, at most; None where nobody knows."""
    judge_calls: int | None
    """Calls of the judge for the same, at most; 0 for a run that is not judged."""


def price(planned: PlannedRun, folder: Path | None = None, *, counts: bool = True) -> Price:
    """The price of a run.

    Args:
        planned: The run.
        folder: The study's folder, whose finished questions are not asked again.
        counts: Count the questions of sources on this machine; else only what the experiment says of its sets.
    """
    once = _counted(planned.asked) if counts else planned.asked.asked
    questions = None if once is None else once * planned.repeats
    finished = 0 if folder is None else sum(count_finished(folder / each) for each in planned.folders)
    each = planned.most_calls
    missing = None if questions is None else max(questions - finished, 0)
    most_calls = None if each is None or missing is None else each * missing
    return Price(planned, questions, finished, most_calls, missing if planned.is_judged else 0)


def count_finished(folder: Path) -> int:
    """The number of questions that a run's folder holds an answer of."""
    if not (folder / ROWS).exists():
        return 0
    last = {row["id"]: row["status"] for row in read_rows(folder)}
    return sum(status != "error" for status in last.values())


def _counted(asked: QuestionSet) -> int | None:
    """The number of questions asked: counted if the source is on this machine."""
    if asked.asking or not (is_little(asked.questions) or Path(asked.questions).exists()):
        return asked.asked
    return asked.selection.count(sum(1 for _ in open_questions(asked.questions)), asked.limit)
