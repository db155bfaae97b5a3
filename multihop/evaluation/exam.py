"""An exam over a corpus: passages are drawn, a program writes a question for each, and what it keeps becomes a file."""

import os
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from hashlib import blake2b
from heapq import nsmallest
from math import ceil
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError
from ..data import Question, write_questions
from ..data.own_rows import read_row
from ..data.record import Record
from ..retrieval import Passage
from ..runtime import Program, current_prices
from ..runtime.bill import Paid, total_paid
from ..runtime.tokens import TokenCounts, estimate_tokens
from .metrics import Metric
from .row import Row
from .runner import evaluate

DRAWN = 10
"""Passages that are drawn for each question that is wanted: so many may give none."""
CALLS, PROMPT, WRITTEN = 20, 300, 60
"""What a kept question takes, as measured with an LM of 1.5 B parameters: calls, those for what is dropped too; and of
each call the tokens of its instructions, and of what is written."""


class Kept(Metric):
    """1.0 where the program kept a question for the passage, else 0.0; for optimizers of `WriteExam` too."""

    name = "kept"

    def measure(self, gold: Any, prediction: Any) -> float:
        """The number; what the gold says does not matter."""
        return float(bool(prediction.answer))


@dataclass(frozen=True, slots=True)
class Exam:
    """The questions that were kept, and what they took."""

    file: Path
    """The file of the questions."""
    questions: list[Question]
    """The questions, in the order in which their passages were drawn."""
    tried: int
    """The number of passages that were tried."""
    unlinked: int
    """The number of them that share no name with another passage."""
    paid: Paid | None
    """The bill, all calls of the command together."""


@dataclass(frozen=True, slots=True)
class ExamOptions:
    """An exam to be written: the arguments of `write_exam`.

    Args:
        program: A `WriteExam` over the corpus, also a compiled one.
        passages: The passages of the corpus.
        to: The file of the questions; the work is kept beside it, in FILE.work, a run like any other.
        questions: The number of questions that are wanted.
        seed: Another seed draws other passages.
        concurrency: Passages in flight at once.
        watch: Called with every finished passage's row, and whether it comes from an earlier call.
        options: Further options of `evaluate`, such as `budget_usd`.
    """

    program: Program
    passages: Iterable[Passage]
    _: KW_ONLY
    to: str | os.PathLike[str]
    questions: int = 50
    seed: int = 0
    concurrency: int = 32
    watch: Callable[[Row, bool], None] | None = None

    @property
    def work(self) -> Path:
        """The folder of the run."""
        return Path(f"{self.to}.work")

    def drawn(self) -> list[Question]:
        """The passages in the order in which they are tried, each as a question to the program."""

        def place(passage: Passage) -> bytes:
            return blake2b(f"{self.seed} {passage.id}".encode("utf-8", "replace")).digest()

        drawn = nsmallest(DRAWN * self.questions, self.passages, key=place)
        return [Question(id=each.id, question=str(each), answers=()) for each in drawn]


def write_exam(*arguments: Any, **options: Any) -> Exam:
    """Write questions that need several passages each, until so many are kept or no drawn passage is left.

    The same call again goes on where it stopped. See `ExamOptions` for the arguments; others are those of `evaluate`.

    Raises:
        InputError: No question was kept; the message says why.
        RunFailed: The run was stopped, as by its budget; what was kept until then is in the file.
    """
    names = ExamOptions.__dataclass_fields__
    asked = ExamOptions(*arguments, **{name: options.pop(name) for name in [*options] if name in names})
    drawn, rows, limit = asked.drawn(), dict[str, Row](), 0

    def watch(row: Row, before: bool) -> None:
        rows[row["id"]] = row
        if asked.watch is not None:
            asked.watch(row, before)

    def kept() -> list[Question]:
        found = [rows[each.id] for each in drawn[:limit] if each.id in rows]
        records = [{**piece, "id": row["id"]} for row in found for piece in row["evidence"][:1]]
        return [read_row(Record(record, str(asked.to))) for record in records][: asked.questions]

    try:
        while len(kept()) < asked.questions and limit < len(drawn):
            rate = max(len(kept()), 1) / max(limit, 3)
            limit = min(len(drawn), limit + ceil((asked.questions - len(kept())) / rate / 2))
            given = {
                "metrics": [Kept()],
                "progress": False,
                **options,
                "watch": watch,
                "concurrency": asked.concurrency,
            }
            evaluate(asked.program, drawn, out=asked.work, limit=limit, **given)
    finally:
        if questions := kept():
            write_questions(asked.to, questions)
    unlinked = sum(not row.get("counts", {}).get("links") for row in rows.values())
    if not questions:
        raise InputError(
            f"none of {len(rows):,} passages gave a question: {unlinked:,} share no name with another, and what was "
            f"written for the others was dropped ({asked.work} has every step; `multihop show {asked.work}`)."
        )
    return Exam(Path(asked.to), questions, len(rows), unlinked, total_paid(asked.work))


def expected_cost(asked: ExamOptions) -> tuple[int, dict[str, int], float | None]:
    """About how many calls and tokens the exam takes, and their price where it is known."""
    drawn = asked.drawn()
    calls = CALLS * min(asked.questions, len(drawn))
    shown = sum(estimate_tokens(each.question, []).into for each in drawn) / max(1, len(drawn))
    tokens = {"in": round(calls * (PROMPT + 1.5 * shown)), "out": calls * WRITTEN}
    lm = asked.program.lm_of("ask_about") or dspy.settings.lm
    return calls, tokens, current_prices.get().usd({lm.model: TokenCounts(**tokens)})  # type: ignore[typeddict-item]
