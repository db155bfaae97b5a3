"""The search for one answer as pictures, for a page that draws it while it grows."""

from collections.abc import Iterable
from typing import cast

from ....runtime import AskStep, Program, TrajectoryStep
from ....runtime.program.answer_record import AnswerRecord
from ....view.pictures.choosing import picture_trajectory
from ....view.pictures.growing import GrowingPicture
from ....view.pictures.node import Picture


class GrowingAnswer:
    """Has a picture for a step that is told, where one is due, and the whole one in the end."""

    def __init__(self, question: str, program: Program) -> None:
        """Nothing was searched for yet."""
        self._program, self._growing = program, GrowingPicture(question, program)

    def take(self, step: TrajectoryStep) -> Picture | None:
        """The picture after a step that is told, if one is due."""
        if (full := full_question_of([step])) is not None:
            self._growing = GrowingPicture(full, self._program)
            return None
        return self._growing.picture if self._growing.take(step) else None

    def last(self, record: AnswerRecord) -> Picture:
        """The picture of an answer's whole search."""
        steps = record["trajectory"]
        full = full_question_of(steps[:1])
        return picture_trajectory(steps if full is None else steps[1:], full or record["question"])


def full_question_of(steps: Iterable[TrajectoryStep]) -> str | None:
    """The question that a follow-up was written as, where one of the steps did that."""
    for step in steps:
        if step["step"] == "stand_alone" and "outputs" in step:
            return str(cast(AskStep, step)["outputs"]["full_question"])
    return None
