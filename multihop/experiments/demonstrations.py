"""Demonstrations for a row: as many a step as the paper shows, made from training questions."""

from collections.abc import Iterable
from itertools import islice

from ..data import Question
from ..optimize.prompts.compiling import compiled
from ..optimize.prompts.steps import scenes_for, step_examples
from ..optimize.prompts.variants import Tools, Variant
from ..retrieval import Retriever
from ..runtime import Program

TRAINING = 60
"""Training questions that demonstrations are drawn from."""


def with_gold_demonstrations(
    program: Program, shots: int, train: Iterable[Question], retriever: Retriever, *, seed: int = 0
) -> Program:
    """A copy of the program whose steps each show so many demonstrations, made from the gold of training questions.

    Args:
        program: Any program of this library.
        shots: Demonstrations a step.
        train: Training questions; the first 60 are used.
        retriever: The source of paragraphs that are no gold, and of the gold that questions do not bring.
        seed: Another seed draws others of the demonstrations that can be made.

    Raises:
        InputError: Gold does not say what is right at a step.
    """
    scenes = scenes_for(program, list(islice(train, TRAINING)), retriever=retriever)
    examples = step_examples(program, scenes)
    variant = Variant(name=f"labeled-{shots}", what=f"{shots} demonstrations a step, made from gold", labels=shots)
    return compiled(program, variant, tools=Tools(metric=_none, seed=seed), steps=examples)


def _none(*given: object) -> float:
    return 0.0
