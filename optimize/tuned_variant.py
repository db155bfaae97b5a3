"""The variant `finetuned`: rows of every step, and a model that learns them, asked where it is served."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError
from ..data import Question
from ..evaluation import default_metrics, evaluate
from ..evaluation.row import Row
from ..evaluation.stopping import check_ending
from ..runtime import Decision, Program
from .compile_options import CompileOptions
from .compiling import small
from .finetuning import chat_rows
from .run_decisions import decisions_of_run
from .tuning_rows import Lessons, unseen


def start_from(options: CompileOptions) -> str:
    """The model that is trained: the one given, or the LM itself."""
    return options.finetune or (dspy.settings.lm.model if dspy.settings.lm else "")


def rows_to_learn(
    program: Program,
    train: Sequence[Question],
    held: Sequence[Question],
    options: CompileOptions,
    *,
    seed: int,
    runs: Path,
    watch: Callable[[Row, bool], None],
) -> tuple[list[dict[str, Any]], list[str]]:
    """The right decisions of every step that has no LM of its own as conversations, and the steps that have some.

    They are from gold, from runs in the folder `runs`, or both; none is of a question that is held back.
    """
    learned, steps = unseen(train, held), [each for each in program.steps if each not in (program.lms or {})]
    if len(learned) < len(train):
        options.tell(f"{len(train) - len(learned):,} training questions are held back too, by id or wording: left out")
    lessons = Lessons(program, learned, steps, seed, options.tell)
    if options.learn_from != "runs":
        lessons.add_gold()
    if options.learn_from != "gold":
        for name, found in _right_decisions(program, lessons, options, runs, watch).items():
            lessons.decisions[name] += found
    decisions = lessons.drawn(options.most_rows)
    if not decisions:
        raise InputError(f"the {len(learned):,} training questions teach no step of {program.name}.")
    taught = {each.step for each in decisions}
    return chat_rows(program, decisions, start_from=start_from(options)), [each for each in steps if each in taught]


def _right_decisions(
    program: Program, lessons: Lessons, options: CompileOptions, runs: Path, watch: Callable[[Row, bool], None]
) -> dict[str, list[Decision]]:
    """The decisions of runs that came out right, asked of the teacher; a search is made small, as for optimizers."""
    cheap = small(program)
    with dspy.context(lm=options.teacher or dspy.settings.lm):
        run = evaluate(
            cheap,
            lessons.questions,
            out=runs,
            metrics=default_metrics(rules=options.rules),
            concurrency=options.concurrency,
            progress=False,
            watch=watch,
        )
    check_ending(run.rows(), run.folder)
    return decisions_of_run(runs, cheap, *lessons.steps, only_right=True)[1]
