"""An exam over a corpus: passages are drawn, a program writes a question for each, and what it keeps becomes a file."""

import os
from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest
from typing import Any

from ..base import InputError
from ..data import Question, write_questions
from ..data.own_rows import read_row
from ..data.record import Record
from ..retrieval import Passage
from ..runtime import Program
from .journal import read_rows
from .metrics import Metric
from .runner import evaluate

DRAWN = 10
"""Passages that are drawn for each question that is wanted: so many may give none."""


class Kept(Metric):
    """1.0 where the program kept a question for the passage, else 0.0; for optimizers of `WriteExam` too."""

    name = "kept"

    def measure(self, gold: Any, prediction: Any) -> float:
        """The number; what the gold says does not matter."""
        return float(bool(prediction.answer))


def draw_passages(passages: Iterable[Passage], questions: int, seed: int = 0) -> list[Question]:
    """The passages that are tried for so many questions, in order, each as what `WriteExam` is asked."""
    first = nsmallest(DRAWN * questions, passages, key=lambda each: blake2b(f"{seed} {each.id}".encode()).digest())
    return [Question(id=each.id, question=str(each), answers=()) for each in first]


def write_exam(
    program: Program, drawn: list[Question], *, to: str | os.PathLike[str], questions: int = 50, **options: Any
) -> list[Question]:
    """Write questions that need several passages each, until so many are kept or no drawn passage is left.

    The work is a run in the folder TO.work; the same call again goes on with it, and asks nothing twice.

    Args:
        program: A `WriteExam` over the corpus, also a compiled one.
        drawn: What `draw_passages` drew.
        to: The file for the questions.
        questions: The number of questions that are wanted.
        **options: Those of `evaluate`, such as `concurrency`, `budget_usd` and `watch`.

    Raises:
        InputError: No question was kept.
        RunFailed: The run was stopped, as by its budget; what was kept until then is in the file.
    """
    work, kept, limit = f"{to}.work", list[Question](), 0
    while len(kept) < questions and limit < len(drawn):
        limit = min(len(drawn), limit + questions - len(kept))  # no passage too many: each costs calls
        try:
            evaluate(program, drawn, out=work, metrics=[Kept()], limit=limit, progress=False, **options)
        finally:
            rows = {row["id"]: row for row in read_rows(work)}
            found = [
                {**piece, "id": each.id} for each in drawn if each.id in rows for piece in rows[each.id]["evidence"]
            ]
            kept = [read_row(Record(record, work)) for record in found[:questions]]
            if kept:
                write_questions(to, kept)
    if not kept:
        alone = sum(not row.get("counts", {}).get("links") for row in rows.values())
        raise InputError(
            f"none of {len(rows):,} passages gave a question: {alone:,} share no name with another, and what "
            f"was written for the others was dropped; `multihop show {work} ID` shows how."
        )
    return kept
