"""An exam that was made, in a terminal."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ...exam import Exam

SHOWN = 3
"""Questions that are shown."""


def show_exam(exam: "Exam", path: Path, corpus: str, console: Console) -> None:
    """Print the kinds of questions, what the audit removed, some of the questions, and the command that goes on."""
    rows = []
    for kind, number in exam.count("type").items():
        of_kind = [question for question in exam.questions if question.type == kind]
        levels = [sum(question.level == level for question in of_kind) for level in ("easy", "medium", "hard")]
        hops = sorted({question.hops for question in of_kind})
        rows.append([kind, f"{number:,}", *(f"{each:,}" for each in levels), ", ".join(map(str, hops))])
    print_table(["questions", "number", "easy", "medium", "hard", "hops"], rows, console)
    for question in exam.questions[:SHOWN]:
        print_line(f"  {question.question} {question.answer or '(no answer)'}", console)
    for reason, number in exam.removed.items():
        print_line(f"left out, {reason}: {number:,}", console)
    print_line(f"wrote {path}", console)
    asked = f"--questions {shlex.quote(str(path))} --corpus {shlex.quote(corpus)}"
    print_line(f"next: multihop evaluate one-step {asked} --out runs/exam", console)


def few(exam: "Exam") -> str:
    """A sentence for an exam with fewer questions than were asked for; empty for one that is whole."""
    if len(exam.questions) >= exam.asked:
        return ""
    return (
        f"{len(exam.questions):,} of {exam.asked:,} questions could be made: of {exam.pages:,} passages "
        f"{exam.subjects:,} open by saying what they are about, and these state {exam.facts:,} facts to ask for."
    )


def exam_as_json(exam: "Exam", path: Path) -> dict[str, Any]:
    """The same as one JSON value."""
    return {
        "wrote": path,
        "questions": len(exam.questions),
        "asked": exam.asked,
        "types": exam.count("type"),
        "levels": exam.count("level"),
        "hops": exam.count("hops"),
        "passages": exam.pages,
        "subjects": exam.subjects,
        "facts": exam.facts,
        "removed": dict(exam.removed),
        "reworded": exam.reworded,
    }
