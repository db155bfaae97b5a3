"""Behaviour cloning: right decisions become a chat file, a fine-tuned model, and a program driven by it.

`clone` does so for one step, and the variant `finetuned` of a compile for every step.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError, check_known, writing
from ..data import Question
from ..evaluation.journal import read_header
from ..lms.own_server import PROVIDER, check_served
from ..programs import PROGRAMS, create, program_named
from ..runtime import Program, settings_of
from .artefact import SavedProgram, about_tuned, save
from .compile_options import CompileOptions
from .compiling import asking_tuned
from .finetuning import HOSTS, asked_as, chat_lines, chat_rows, finetune
from .tuning_rows import Lessons
from .variants import FINETUNED


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
    """The chat file of the step's decisions."""
    rows: int
    """The number of conversations in it."""
    model: str | None = None
    """The name under which the fine-tuned model is asked; None if none was asked for."""
    artefact: Path | None = None
    """The program driven by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneOptions:
    """The options of a cloning."""

    from_run: str | os.PathLike[str] | None = None
    """The folder of a finished run of the program."""
    from_gold: Sequence[Question] = ()
    """Instead of a run, questions with answers and supporting paragraphs."""
    step: str | None = None
    """The step to imitate; the planner by default."""
    only_right: bool = False
    """Learn from the questions of the run alone that were answered right."""
    limit: int | None = None
    """Only the first so many questions."""
    most_rows: int | None = None
    """At most so many rows."""
    start_from: str | None = None
    """The model to fine-tune, see `finetune`; without it only the file is written."""
    options: Mapping[str, Any] | None = None
    """Options of the training, such as `{"n_epochs": 3}`."""
    corpus: str | None = None
    """The corpus that the retriever was opened from, for the saved program to open again."""
    tell: Callable[[str], None] = lambda line: None
    """Called with lines about the training."""


def clone(program: Program, *, out: str | os.PathLike[str], **options: Any) -> Cloning:
    """Write a step's decisions as a chat file, and train a model on it that drives the program from then on.

    No LM is asked: the decisions are those of a finished run, or those that the gold of questions says are right. The
    paper learns from every path that the search chose, whether the answer is right or not; so does this, unless
    `only_right`. The same call again goes on with a training that was begun.

    Differs from the paper: it trains with the settings that OpenAI chooses; `options` says otherwise.

    Args:
        program: The one to imitate, with the retriever over the corpus that was searched.
        out: A folder, for `STEP.jsonl` and `program.json`.
        **options: See `CloneOptions`.

    Raises:
        InputError: The program has no planner, or nothing is left to learn from; the message says why.
    """
    given, folder = CloneOptions(**options), Path(out)
    driven, step = driven_by_planner(program, given.step)
    run, gold, taught = given.from_run, given.from_gold[: given.limit], dict[str, Any]()
    if (run is None) == (not given.from_gold):
        raise InputError("it is learned from a finished run or from the gold of questions: give one of them.")
    lessons = Lessons(driven, gold, [step], most=given.most_rows, tell=given.tell)
    if run is None:
        check_known(f"step of '{driven.name}'", step, driven.steps)
        lessons.add_gold()
        count = len(gold)
    else:
        count = lessons.add_run(run, program, only_right=given.only_right, limit=given.limit)
        lms = {name.partition(".")[0]: lm for name, lm in read_header(run)["identity"]["lm"].items()}
        lm = lms.get(step) or next(iter(lms.values()))
        taught = {"lm": lm["model"], **({"decoding": lm["decoding"]} if lm["decoding"] else {})}
    rows = chat_rows(driven, lessons.drawn(), lm=asked_as(given.start_from or ""))
    if not rows:
        raise InputError(f"there is no decision of step '{step}' to learn from.")
    with writing(folder / f"{step}.jsonl") as file:
        file.write(chat_lines(rows))
    done = Cloning(count, len(lessons.decisions), step, folder / f"{step}.jsonl", len(rows))
    if given.start_from is None:
        return done
    artefact, training = folder / "program.json", given.options or {}
    tuned = finetune(given.start_from, rows, name=f"{program.name}-{step}", tell=given.tell, **training)
    about = {"optimizer": "cloned", "cloned from": program.name, "kept": done.kept, "start from": given.start_from}
    if tuned.serve:
        given.tell(f"serve it to ask it: {tuned.serve}")
    about |= {"tuned": about_tuned(tuned, artefact), **taught}
    save(asking_tuned(driven, tuned.lm, [step]), artefact, corpus=given.corpus, about=about)
    return replace(done, model=tuned.lm, artefact=artefact)


def driven_by_planner(program: Program, step: str | None = None) -> tuple[Program, str]:
    """The program that the clone will drive, with the settings that both have, and the step that is cloned."""
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


def base_of(options: CompileOptions) -> str:
    """The model that the training starts from: the one that is named, else the configured LM itself."""
    return options.finetune or str(getattr(dspy.settings.lm, "model", ""))


def check_base(options: CompileOptions) -> None:
    """Refuse to train nothing, before anything is asked."""
    if (base := base_of(options)) and not options.finetune and not base.startswith(HOSTS):
        raise InputError(
            f"the variant '{FINETUNED}' trains a model, and nobody is known who fine-tunes {base} at its host: "
            "name the model to start from (on the command line, --finetune BASE), to train it on this machine."
        )


def check_tuned_served(saved: SavedProgram) -> None:
    """Refuse to ask a tuned LM that the server of the configured one does not have yet."""
    lm: Any = dspy.settings.lm
    for name in sorted(set(saved.served.values())):
        try:
            if not lm.model.startswith(f"{PROVIDER}/"):
                raise InputError("where it is served is said with --lm server/BASE@http://HOST:PORT/v1.")
            check_served(lm.kwargs["api_base"], name.removeprefix(f"{PROVIDER}/"), lm.kwargs["api_key"])
        except InputError as error:
            again = f"Serve it, and give the same command again: {saved.start}"
            raise InputError(f"{name} is trained; {error} {again}") from None
