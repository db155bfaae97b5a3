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
from ..lms.own_server import PROVIDER, check_served
from ..runtime import Decision, Program
from .artefact import SavedProgram
from .compile_options import CompileOptions
from .compiling import small
from .finetuning import HOSTS, Tuned, asked_as, chat_rows, finetune
from .run_decisions import decisions_of_run
from .tuning_rows import Lessons, unseen
from .variants import FINETUNED

Rows = tuple[list[dict[str, Any]], list[str]]
"""Conversations, and the steps that they are of."""


def base_of(options: CompileOptions) -> str:
    """The model that the training starts from: the one that is named, else the configured LM itself."""
    return options.finetune or getattr(dspy.settings.lm, "model", "")


def check_base(options: CompileOptions) -> None:
    """Refuse to train nothing, before anything is asked."""
    if (base := base_of(options)) and not options.finetune and not base.startswith(HOSTS):
        raise InputError(
            f"the variant '{FINETUNED}' trains a model, and nobody is known who fine-tunes {base} at its host: "
            "name the model to start from (on the command line, --finetune BASE), to train it on this machine."
        )


def rows_to_learn(
    program: Program,
    train: Sequence[Question],
    held: Sequence[Question],
    options: CompileOptions,
    *,
    seed: int,
    runs: Path,
    watch: Callable[[Row, bool], None],
    shown: dict[str, list[str]],
) -> Rows:
    """The right decisions of every step that has no LM of its own as conversations, and the steps that have some.

    They are from gold, from runs in the folder `runs`, or both; none is of a question that is held back.
    """
    learned, steps = unseen(train, held), [each for each in program.steps if each not in (program.lms or {})]
    if len(learned) < len(train):
        options.tell(f"{len(train) - len(learned):,} training questions are held back too, by id or wording: left out")
    lessons = Lessons(program, learned, steps, seed, options.most_rows, options.tell, shown)
    if options.learn_from != "runs":
        lessons.add_gold()
    if options.learn_from != "gold":
        for name, found in _right_decisions(program, lessons, options, runs, watch).items():
            lessons.decisions[name] += found
    decisions = lessons.drawn()
    if not decisions:
        raise InputError(f"the {len(learned):,} training questions teach no step of {program.name}.")
    rows, taught = chat_rows(program, decisions, lm=asked_as(base_of(options))), {each.step for each in decisions}
    if empty := len(decisions) - len(rows):
        options.tell(f"{empty:,} of these answers are one empty text, which cannot be said in plain words: left out")
    return rows, [each for each in steps if each in taught]


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


def trained(rows: list[dict[str, Any]], options: CompileOptions, *, name: str, seed: int, output: Path) -> Tuned:
    """A model that has learned the rows; one that is trained on this machine lies in a folder below `output`."""
    base = base_of(options)
    here = {} if base.startswith(HOSTS) else {"output": str(output)}
    return finetune(base, rows, name=name, tell=options.tell, **{**here, "seed": seed, **options.training})


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
