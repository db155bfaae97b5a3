"""The programs of rows that learn: with demonstrations as the paper shows them, or compiled as `compile` would."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import dspy

from ..data import Question
from ..evaluation.metrics import F1
from ..optimize.artefact import save
from ..optimize.compiling import compiled, made_program
from ..optimize.gold_examples import ExamplePool, searched_gold, step_examples
from ..optimize.variants import Tools, Variant, variant_named
from ..retrieval import Retriever
from ..runtime import Program, apart_from_dspy

THREADS = 16
"""Runs that an optimizer makes at once."""


def with_gold_demonstrations(
    program: Program, shots: int, train: Iterable[Question], retriever: Retriever, *, training: int = 60, seed: int = 0
) -> Program:
    """A copy of the program whose steps each show so many demonstrations, made from the gold of training questions.

    Args:
        program: Any program of this library.
        shots: Demonstrations a step.
        train: Training questions.
        retriever: The source of paragraphs that are no gold, and of the gold that questions do not bring.
        training: The number of training questions that are used, from the first.
        seed: Another seed draws others of the demonstrations that can be made.

    Raises:
        InputError: Gold does not say what is right at a step.
    """
    variant = Variant(name=f"labeled-{shots}", what=f"{shots} demonstrations a step, made from gold", labels=shots)
    return _labeled(program, variant, list(islice(train, training)), retriever, seed)


def compiled_by(
    program: Program,
    way: str,
    train: Iterable[Question],
    retriever: Retriever,
    *,
    kept: Path,
    rules: str,
    by_steps: bool = False,
    training: int = 60,
    seed: int = 0,
) -> Program:
    """The program compiled on training questions by the configured LM; what was compiled before is opened again.

    Args:
        program: Any program of this library.
        way: The variant's name, as `multihop compile` takes it.
        train: Training questions.
        retriever: As for `with_gold_demonstrations`.
        kept: The file of the compiled program.
        rules: The set whose official rules score the runs that optimizers make.
        by_steps: Compile each step alone, on what gold says it should answer.
        training: The number of training questions that are used, from the first.
        seed: Draws the demonstrations that are made from gold, and is that of the optimizer.

    Raises:
        InputError: Gold does not say what is right at a step, or the variant lacks what it needs.
    """
    if kept.exists():
        return made_program(program, kept)
    variant, learned = variant_named(way), list(islice(train, training))
    if variant.labels:
        finished = _labeled(program, variant, learned, retriever, seed)
    else:
        examples = [question.to_example() for question in learned]
        tools = Tools(metric=F1(rules=rules), writer=apart_from_dspy(dspy.settings.lm), threads=THREADS, seed=seed)
        with dspy.context(disable_history=True, num_threads=THREADS):
            if by_steps:
                steps = _steps_of_gold(program, learned, retriever)
                finished = compiled(program, variant, tools=tools, steps=steps, step_by_step=True)
            else:
                finished = compiled(program, variant, tools=tools, questions=examples)
    kept.parent.mkdir(parents=True, exist_ok=True)
    save(finished, kept, about={"optimizer": variant.name})
    return finished


def _labeled(program: Program, variant: Variant, questions: list[Question], retriever: Retriever, seed: int) -> Program:
    """The program with the demonstrations that the variant makes from gold."""
    steps = _steps_of_gold(program, questions, retriever)
    return compiled(program, variant, tools=Tools(metric=F1(), seed=seed), steps=steps)


def _steps_of_gold(program: Program, questions: list[Question], retriever: Retriever) -> dict[str, ExamplePool]:
    """For each predictor of the program, what gold says it should answer."""
    return step_examples(program, searched_gold(program, questions, retriever=retriever))
