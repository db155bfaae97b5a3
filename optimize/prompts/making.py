"""One variant of a program: made, kept in its file, and opened again as it is there."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dspy
import ujson

from ...base import InputError
from ...data import Question
from ...runtime import Program
from ..artefact import about_artefact, load, save
from .choosing import ExamplePool
from .compiling import compiled
from .stages import Stages
from .together import Finetuner
from .variants import GIVEN, TOGETHER, Tools, Variant

COMPILE_CALLS, CANDIDATES = "compile calls", "candidates"
_MADE_WITH, _TRAINED = "made with", "trained"


def make(
    program: Program,
    variant: Variant,
    path: Path,
    *,
    tools: Tools,
    train: Sequence[Question],
    made: Mapping[str, ExamplePool],
    steps: bool,
    stages: Stages,
    expected: int,
) -> None:
    """Compile the program by the variant and keep what comes of it in the file.

    Args:
        program: The program to compile; for the variant `given`, the program with the demonstrations.
        variant: The way to compile it.
        path: The file.
        tools: The tools that optimizers are handed.
        train: Training questions.
        made: Examples for each step.
        steps: True if each step is compiled alone.
        stages: The stages, which tell of the work and count its calls.
        expected: About how many LM calls it takes.
    """
    stages.begin(f"{variant.name}: {variant.what}", variant=variant.name, expected=expected)
    if variant.optimizer is not None:
        stages.spending.check()
    tools.candidates.clear()
    before, examples = stages.spending.calls, [question.to_example() for question in train]
    finished = compiled(program, variant, tools=tools, questions=examples, steps=made, step_by_step=steps)
    known: dict[str, Any] = {COMPILE_CALLS: stages.spending.calls - before}
    known[_MADE_WITH] = _made_with(variant, program, tools.finetuner)
    if tools.candidates:
        known[CANDIDATES] = tools.candidates
    if variant.name == TOGETHER:
        signatures = {name.partition(".")[0]: predictor.signature for name, predictor in program.named_predictors()}
        known[_TRAINED] = {step: tools.trained[each] for step, each in signatures.items() if each in tools.trained}
    path.parent.mkdir(parents=True, exist_ok=True)
    save(finished, path, about=known)


def made_program(program: Program, path: Path) -> Program:
    """The program that a variant made of this one; a fine-tuned model is asked where the LM it was trained from is."""
    trained = about_artefact(path).get(_TRAINED, {})
    bases = {step: program.step_lms.get(step, dspy.settings.lm) for step in trained}
    lms = {**program.step_lms, **{step: bases[step].copy(model=model) for step, model in trained.items()}}
    return load(path, program.retriever, settings={"lms": lms} if lms else {}, program=type(program))


def check_made_with(path: Path, variant: Variant, program: Program, finetuner: Finetuner | None) -> None:
    """Refuse to go on with what other demonstrations, or another fine-tuning, have made.

    Raises:
        InputError: The file is there, and is such a one.
    """
    if path.exists() and about_artefact(path).get(_MADE_WITH) != _made_with(variant, program, finetuner):
        what = "demonstrations" if variant.name == GIVEN else "settings of the fine-tuning"
        raise InputError(f"{path} was made with other {what}; choose another file.")


def _made_with(variant: Variant, program: Program, finetuner: Finetuner | None) -> Any:
    """The input that decides about the variant and stands nowhere else in the work; None for most."""
    if variant.name == GIVEN:
        shown = {name: [dict(demo) for demo in predictor.demos] for name, predictor in program.named_predictors()}
        return hashlib.blake2b(ujson.dumps(shown, sort_keys=True).encode(), digest_size=16).hexdigest()
    if variant.name == TOGETHER and finetuner is not None:
        kind = type(finetuner.provider)
        return {"provider": f"{kind.__module__}:{kind.__name__}", "options": finetuner.options}
    return None
