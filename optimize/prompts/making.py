"""One variant of a program: made, kept in its file, and opened again as it is there."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import ujson

from ...base import InputError
from ...data import Question
from ...runtime import Program
from ..artefact import about_artefact, load, save
from .choosing import ExamplePool
from .compiling import compiled
from .stages import Stages
from .variants import GIVEN, Tools, Variant

COMPILE_CALLS = "compile calls"
_MADE_WITH = "made with"


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
    before, examples = stages.spending.calls, [question.to_example() for question in train]
    finished = compiled(program, variant, tools=tools, questions=examples, steps=made, step_by_step=steps)
    known = {COMPILE_CALLS: stages.spending.calls - before, _MADE_WITH: _made_with(variant, program)}
    path.parent.mkdir(parents=True, exist_ok=True)
    save(finished, path, about=known)


def made_program(program: Program, path: Path) -> Program:
    """The program that a variant made of this one."""
    lms = dict(program.step_lms)
    return load(path, program.retriever, settings={"lms": lms} if lms else {}, program=type(program))


def check_made_with(path: Path, variant: Variant, program: Program) -> None:
    """Refuse to go on with what other demonstrations have made.

    Raises:
        InputError: The file is there, and is such a one.
    """
    if path.exists() and about_artefact(path).get(_MADE_WITH) != _made_with(variant, program):
        raise InputError(f"{path} was made with other demonstrations; choose another file.")


def _made_with(variant: Variant, program: Program) -> str | None:
    """The digest of the demonstrations of one's own, which stand nowhere else in the work; None for other variants."""
    if variant.name != GIVEN:
        return None
    shown = {name: [dict(demo) for demo in predictor.demos] for name, predictor in program.named_predictors()}
    return hashlib.blake2b(ujson.dumps(shown, sort_keys=True).encode(), digest_size=16).hexdigest()
