"""Programs that a command asks, one after the other: once each, or several times with other seeds."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...base import RunFailed
from .heap import heap_at_rest
from .inputs import tell_user

if TYPE_CHECKING:
    from ...data import Question, Reading
    from ...evaluation import Evaluation, Repeats
    from ...evaluation.repeats import RunOptions
    from ...runtime import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """The way in which the programs of a command are asked."""

    questions: "Reading[Question]"
    """The questions of the source."""
    total: int
    """The number of them that are asked."""
    seed: int
    """The seed of the first run."""
    options: "RunOptions"
    """The options of each run."""

    def once(self, name: str, program: "Program", out: Path) -> "Evaluation":
        """A run of the program in the folder, shown under the name."""
        from ...evaluation import evaluate
        from ...evaluation.progress import Progress

        try:
            progress = Progress(name, self.total)
            with heap_at_rest():
                return evaluate(program, self.questions, out=out, seed=self.seed, progress=progress, **self.options)
        except KeyboardInterrupt:
            raise _interrupted(out) from None

    def repeatedly(self, repeats: int, name: str, program: "Program", out: Path) -> "Repeats":
        """So many runs of the program in folders of the folder."""
        from ...evaluation import evaluate_repeatedly
        from ...evaluation.progress import Progress

        try:
            with heap_at_rest():
                return evaluate_repeatedly(
                    program,
                    self.questions,
                    repeats=repeats,
                    out=out,
                    seed=self.seed,
                    progress=lambda folder: Progress(f"{name}, {folder}", self.total),
                    **self.options,
                )
        except KeyboardInterrupt:
            raise _interrupted(out) from None


def check_answered(runs: Iterable["Evaluation"]) -> None:
    """Refuse to call it a result where every question of every run failed.

    Raises:
        RunFailed: They did; the message has the first error.
    """
    runs = list(runs)
    if all(run.summary["n_error"] == run.summary["n"] for run in runs):
        error = next(runs[0].rows())["error"]
        if error is not None:
            reason = f": {error['message']}" if error["message"] else "."
            raise RunFailed(f"every question failed, the first with {error['type']}{reason}")


def tell_same_answers(lms: Iterable[str], *, seed: int, repeats: int | None = None) -> None:
    """Say which LMs will hardly answer otherwise with another seed, where another seed was asked for."""
    names = list(lms)
    if names and (seed or (repeats or 1) > 1):
        whose = " and ".join(names)
        tell_user(f"{whose}: decoded greedily, so that another seed asks anew and is likely to get the same answers.")


def _interrupted(out: Path) -> KeyboardInterrupt:
    return KeyboardInterrupt(f"interrupted; {out} keeps what is finished, the same command goes on.")
