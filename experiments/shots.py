"""Demonstrations for a row: as many a step as the paper shows, made from training questions."""

from collections.abc import Iterable
from itertools import islice

from ..data import Question
from ..optimize.prompts.compiling import compiled
from ..optimize.prompts.steps import step_examples
from ..optimize.prompts.variants import Tools, Variant
from ..optimize.prompts.worked import work_out
from ..retrieval import Passage, Retriever
from ..runtime import Program

TRAINING = 60
"""Training questions that demonstrations are drawn from."""


def with_shots(
    program: Program, shots: int, train: Iterable[Question], corpus: Iterable[Passage], retriever: Retriever
) -> Program:
    """A copy of the program whose steps each show so many demonstrations, made from the gold of training questions.

    Args:
        program: Any program of this library.
        shots: Demonstrations a step.
        train: Training questions; the first 60 are used.
        corpus: Where their gold paragraphs are, if they bring none themselves.
        retriever: Where paragraphs that are no gold come from.

    Raises:
        InputError: Gold does not say what is right at a step.

    Examples:
        >>> from multihop import BM25, World, create
        >>> from multihop.experiments.shots import with_shots
        >>> world = World(questions=10, passages=100)
        >>> retriever = BM25.build(world.passages())
        >>> program = with_shots(create("one-step", retriever), 3, world.questions(), world.passages(), retriever)
        >>> len(program.answer.demos)
        3
    """
    learn = list(islice(train, TRAINING))
    wanted = {identifier for question in learn for identifier in question.supporting}
    gold = {passage.id: passage for question in learn for passage in question.passages if passage.id in wanted}
    if missing := wanted - gold.keys():
        gold |= {passage.id: passage for passage in corpus if passage.id in missing}
    made = step_examples(program, work_out(learn, retriever, gold))
    variant = Variant(name=f"labeled-{shots}", what=f"{shots} demonstrations a step, made from gold", labels=shots)
    return compiled(program, variant, tools=Tools(metric=_none), steps=made)


def _none(*given: object) -> float:
    return 0.0
