"""An exam over a corpus: passages are drawn, a program writes a question for each, and what it keeps becomes a file."""

from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest
from pathlib import Path
from typing import Any

from ..base import InputError
from ..data import Question, open_questions
from ..data.own_rows import write_rows
from ..retrieval import Passage
from ..runtime import Program
from .journal import read_rows
from .runner import evaluate


def kept(question: Any, prediction: Any, trace: Any = None) -> float:
    """1.0 where the program kept a question for the passage, else 0.0; for optimizers of `WriteExam` too."""
    return float(bool(prediction.answer))


def draw_passages(passages: Iterable[Passage], questions: int, seed: int = 0) -> list[Question]:
    """Ten passages for each question, since many give none, in the order of trying; each as `WriteExam` is asked."""
    first = nsmallest(10 * questions, passages, key=lambda each: blake2b(f"{seed} {each.id}".encode()).digest())
    return [Question(id=each.id, question=str(each), answers=()) for each in first]


def write_exam(program: Program, drawn: list[Question], *, to: Path, questions: int, **options: Any) -> list[Question]:
    """Write questions that need several passages each, until so many are kept or no drawn passage is left.

    The work is a run of `evaluate` in the folder TO.work: the same call again goes on with it, and asks nothing twice.
    Where it is stopped, as by its budget, the file has what is kept until then.
    """
    work, exam, limit = f"{to}.work", list[dict[str, Any]](), 0
    while len(exam) < questions and limit < len(drawn):
        limit = min(len(drawn), limit + questions - len(exam))  # no passage too many: each costs calls
        try:
            evaluate(program, drawn, out=work, metrics=[kept], limit=limit, progress=False, **options)
        finally:
            rows = {row["id"]: row["evidence"] for row in read_rows(work)}
            exam = [{**piece, "id": each.id} for each in drawn for piece in rows.get(each.id, ())][:questions]
            if exam:
                write_rows(to, exam)
    if not exam:
        raise InputError(f"none of {len(rows):,} passages gave a question that is kept (`multihop show {work} ID`).")
    return list(open_questions(to))
