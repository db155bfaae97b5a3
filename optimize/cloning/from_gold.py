"""The right decision at each state, as the gold of training questions has it: no program is run, and no LM asked."""

from collections.abc import Sequence
from typing import cast

from ...base import InputError, unknown
from ...data import Question
from ...evaluation.journal.row import Row
from ...runtime import Decision, Program
from ..prompts.steps import scenes_for, step_examples


def rows_of_gold(program: Program, questions: Sequence[Question], steps: Sequence[str]) -> list[Row]:
    """The questions whose gold can be read, each with the right decisions of the steps.

    They are what compiling shows as labeled demonstrations: at each state on the way to the answer, with what the
    program's retriever finds there.

    Args:
        program: The program whose steps learn, with its retriever.
        questions: Training questions with answers and supporting paragraphs; of more than 500, so many are drawn.
        steps: The steps to learn.

    Raises:
        InputError: The program has no such step, nobody knows what it should answer, or no gold can be read.
    """
    for step in steps:
        if step not in program.steps:
            raise unknown(f"step of '{program.name}'", step, program.steps)
    decisions: dict[str, list[Decision]] = {}
    for name, pool in step_examples(program, scenes_for(program, questions)).items():
        step = name.partition(".")[0]
        for example in pool.examples if step in steps else ():
            right = Decision(step, example.shown.inputs().toDict(), example.shown.labels().toDict())
            decisions.setdefault(example.question, []).append(right)
    if not decisions:
        raise InputError(
            f"of none of the {len(questions)} questions the gold can be read: an answer and its supporting paragraphs."
        )
    asked = {question.id: question for question in questions}
    return [_row(asked[name], each) for name, each in decisions.items()]


def _row(question: Question, decisions: Sequence[Decision]) -> Row:
    """The question with its decisions, as the journal of a run has it; gold is right."""
    right = {"id": question.id, "answers": question.answers, "metrics": {"em": 1.0}}
    return cast(Row, {**right, "decisions": [decision._asdict() for decision in decisions]})
