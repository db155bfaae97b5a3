"""Behaviour cloning: the decisions of a step become a chat file, a fine-tuned model, and a program driven by it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...base import InputError, unknown, writing
from ...data import Question
from ...lms.hosted import refuse_files
from ...programs import PROGRAMS, create, program_named
from ...runtime import Decision, Program, settings_of
from ..artefact import save
from ..finetuning.chat_file import chat_lines, chat_rows
from ..finetuning.finetuning import finetune
from ..prompts.steps import scenes_for, step_examples
from .from_run import decisions_of_run, lm_of_run


@dataclass(frozen=True, slots=True)
class Cloning:
    """The result of a cloning."""

    questions: int
    """Questions that had an answer."""
    kept: int
    """The number of them whose decisions were taken."""
    step: str
    """The step that is imitated."""
    file: Path
    """Its chat file."""
    rows: int
    """The number of conversations in it."""
    model: str | None = None
    """The name under which the fine-tuned model is asked; None if none was asked for."""
    artefact: Path | None = None
    """The program driven by it."""


def clone(
    program: Program,
    *,
    out: str | os.PathLike[str],
    from_run: str | os.PathLike[str] | None = None,
    from_gold: Sequence[Question] = (),
    step: str | None = None,
    only_right: bool = False,
    limit: int | None = None,
    start_from: str | None = None,
    model: str | None = None,
    options: dict[str, Any] | None = None,
    corpus: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Cloning:
    """Write a step's decisions as a chat file, and train a model on it that drives the program from then on.

    No LM is asked: the decisions are those of a finished run, or those that the gold of questions says are right. The
    paper learns from every path that the search chose, whether the answer is right or not; so does this, unless
    `only_right`. The same call again goes on with a training that was begun.

    Differs from the paper: it trains with the settings that OpenAI chooses; `options` says otherwise.

    Args:
        program: The one to imitate, with the retriever over the corpus that was searched.
        out: A folder, for `STEP.jsonl` and `program.json`.
        from_run: The folder of a finished run of the program.
        from_gold: In place of a run, questions with answers and supporting paragraphs; of more than 500, so many are
            drawn.
        step: The step to imitate; the planner by default.
        only_right: Learn from the questions of the run alone that were answered right.
        limit: Only the first so many questions.
        start_from: The model to fine-tune, see `finetune`; without it and without `model`, only the file is written.
        model: A model that was trained already, by the name it is asked under; none is trained then.
        options: Options of the training, such as `{"n_epochs": 3}`.
        corpus: The corpus that the retriever was opened from, for the saved program to open again.
        tell: Called with lines about the training.

    Raises:
        InputError: The program has no planner, or nothing is left to learn from; the message says why.
    """
    if model is not None:
        refuse_files(model)
    if (from_run is None) == (not from_gold):
        raise InputError("it is learned from a finished run or from the gold of questions: give one of them.")
    driven, step = driven_by_planner(program, step)
    if from_run is not None:
        count, decisions = decisions_of_run(from_run, program, step, only_right=only_right, limit=limit)
        taught = lm_of_run(from_run, step)
    else:
        count, decisions, taught = len(from_gold[:limit]), decisions_of_gold(driven, from_gold[:limit], step), {}
    rows = chat_rows(driven, [each for some in decisions for each in some])
    if not rows:
        raise InputError(f"there is no decision of step '{step}' to learn from.")
    folder, name = Path(out), f"{program.name}-{step}"
    with writing(folder / f"{step}.jsonl") as file:
        file.write(chat_lines(rows))
    if start_from is not None and model is None:
        model = finetune(start_from, rows, name=name, tell=tell, **(options or {}))
    done = Cloning(count, len(decisions), step, folder / f"{step}.jsonl", len(rows), model)
    if model is None:
        return done
    settings = {**driven.settings, "lms": {step: model}, "cloned": (step,)}
    about = {"optimizer": "cloned", "cloned from": program.name, "kept": len(decisions), "start from": start_from}
    save(
        create(type(driven), program.retriever, **settings),
        folder / "program.json",
        corpus=corpus,
        about=about | taught,
    )
    return replace(done, artefact=folder / "program.json")


def decisions_of_gold(program: Program, questions: Sequence[Question], step: str) -> list[list[Decision]]:
    """The right decisions of the step for each question whose gold can be read: at each state on the way to the answer.

    They are what compiling shows as labeled demonstrations, with what the program's retriever finds there.

    Raises:
        InputError: The program has no such step, nobody knows what it should answer, or no gold can be read.
    """
    if step not in program.steps:
        raise unknown(f"step of '{program.name}'", step, program.steps)
    decisions: dict[str, list[Decision]] = {}
    for name, pool in step_examples(program, scenes_for(program, questions)).items():
        for example in pool.examples if name.partition(".")[0] == step else ():
            right = Decision(step, example.shown.inputs().toDict(), example.shown.labels().toDict())
            decisions.setdefault(example.question, []).append(right)
    if not decisions:
        raise InputError(
            f"of none of the {len(questions)} questions the gold can be read: an answer and its supporting paragraphs."
        )
    return list(decisions.values())


def driven_by_planner(program: Program, step: str | None = None) -> tuple[Program, str]:
    """The program that the clone will drive, with the settings that both have, and the step that is cloned.

    Raises:
        InputError: The program has no planner, and no step is named.
    """
    if not program.planner and not step:
        able = ", ".join(name for name, each in PROGRAMS.items() if each.planner)
        first = program.steps[0] if program.steps else "STEP"
        raise InputError(
            f"'{program.name}' has no planner to clone; these have: {able}. "
            f'Of another program, name the step to imitate: step="{first}" (on the command line, --step {first}).'
        )
    planned = bool(program.clone) and step in (None, program.planner)
    kind = program_named(program.clone) if planned else type(program)
    valid = settings_of(kind)
    shared = {
        name: value for name, value in program.settings.items() if name in valid and name not in ("lms", "cloned")
    }
    return create(kind, program.retriever, **shared), step or program.planner
