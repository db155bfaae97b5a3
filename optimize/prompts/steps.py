"""Examples of each step's right answer, made from gold: every signature has a maker of its perfect steps.

An example costs one LM call to try, where a run of the whole program costs a search.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import dspy

from ... import signatures as steps
from ...base import InputError
from ...data import Question
from ...data.gold import GoldHop, GoldPath, GoldReading, read_gold
from ...programs.shared.chain import Chain
from ...retrieval import Hit, Passage, Retriever
from ...runtime import Program
from ...signatures.step_signature import origin_of
from .choosing import ExamplePool, StepExample
from .makers import (
    actions,
    answers,
    candidates,
    labelling,
    memories,
    readers,
    reviews,
    scores,
    sub_questions,
    thoughts,
)
from .makers.scene import Maker, StagedQuestion, set_scenes

MOST_QUESTIONS = 500
"""Training questions that examples are made from; of more, so many are drawn."""
_MODULES = (actions, answers, candidates, labelling, memories, readers, reviews, scores, sub_questions, thoughts)
MAKERS: dict[str, Maker] = {signature: maker for module in _MODULES for signature, maker in module.MAKERS.items()}
"""The maker of examples for each signature."""


def step_examples(program: Program, scenes: Iterable[StagedQuestion]) -> dict[str, ExamplePool]:
    """For each predictor of the program, by the name DSPy lists it under, examples of what it should answer.

    Raises:
        InputError: Nobody knows what a step should answer, since it has a signature, or an output, of its own.
    """
    check_steps(program)
    staged = list(scenes)
    made: dict[str, ExamplePool] = {}
    for name, predictor in program.named_predictors():
        maker = MAKERS[_known(program, name, predictor.signature)]
        made[name] = make_pool(maker, predictor.signature, staged)
    return made


def make_pool(maker: Maker, signature: type[dspy.Signature], scenes: Iterable[StagedQuestion]) -> ExamplePool:
    """The examples of one signature: of each row, the fields that it has."""
    examples = [
        StepExample(
            dspy.Example(**{name: row.fields[name] for name in signature.fields}).with_inputs(*signature.input_fields),
            row.decision,
            scene.path.question.id,
            scene.path.question.type,
            frozenset(page.id for page in scene.path.passages),
            scene.rough,
        )
        for scene in scenes
        for row in maker.rows(scene)
    ]
    return ExamplePool(tuple(examples), maker.decisions, maker.optional)


def scenes_for(
    program: Program,
    train: Sequence[Question],
    *,
    retriever: Retriever | None = None,
    seed: int = 0,
    teach: Callable[[GoldReading], GoldReading] = lambda reading: reading,
) -> list[StagedQuestion]:
    """The training questions whose gold can be read, with what the program's retriever finds on their ways.

    A program that answers at once needs no more than questions and answers.

    Args:
        program: Whose retriever finds the paragraphs that do not help; one that can be gone through also has the gold
            paragraphs that questions do not bring.
        train: With answers and supporting paragraphs.
        retriever: In place of the program's, which may have none.
        seed: Draws the questions, where there are more than are needed.
        teach: Changes the gold that is read, before anything is made of it.
    """
    drawn = list(train)
    if len(drawn) > MOST_QUESTIONS:
        places = sorted(random.Random(seed).sample(range(len(drawn)), MOST_QUESTIONS))
        drawn = [drawn[place] for place in places]
    retriever = retriever or program.retriever
    if all(set(predictor.signature.fields) == {"question", "answer"} for predictor in program.predictors()):
        return set_scenes(
            [_answered_at_once(question) for question in drawn if question.answers], _Nothing(), chain=False
        )
    reading = teach(read_gold(drawn, _gold_passages(retriever, drawn)))
    return set_scenes(reading.paths, retriever or _Nothing(), chain=isinstance(program, Chain))


def _answered_at_once(question: Question) -> GoldPath:
    """A way of one hop: the question itself, and its answer."""
    remembered = Passage(question.id, "", question.answer)
    return GoldPath(question, (GoldHop(question.question, question.answer, remembered, question.answer),))


def _gold_passages(retriever: object, questions: Sequence[Question]) -> Mapping[str, Passage]:
    """The gold paragraphs that the questions do not bring."""
    brought = {page.id for question in questions for page in question.passages}
    needed = {name for question in questions for name in question.supporting} - brought
    if not needed or not isinstance(retriever, Iterable):
        return {}
    return {page.id: page for page in retriever if page.id in needed}


class _Nothing:
    """A retriever for programs without one: it finds no hard negatives."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [[] for _ in queries]


def check_steps(program: Program) -> None:
    """Refuse a program with a step that gold teaches nothing, before anything is paid for.

    Raises:
        InputError: A step has a signature, or a field, of its own.
    """
    for name, predictor in program.named_predictors():
        known = getattr(steps, _known(program, name, predictor.signature)).fields
        for field in predictor.signature.fields:
            if field not in known and field != "reasoning":
                raise InputError(_no_gold(program, name, f"the field '{field}' of its own"))


def _known(program: Program, name: str, signature: type[dspy.Signature]) -> str:
    """The name of the signature of ours: told by the class that it was made from, or is a kind of."""
    for kind in origin_of(signature).__mro__:
        written: str = kind.__name__
        if written in MAKERS and getattr(steps, written) is kind:
            return written
    raise InputError(_no_gold(program, name, "a signature of its own"))


def _no_gold(program: Program, name: str, what: str) -> str:
    step = name.partition(".")[0]
    return (
        f"step '{step}' of {type(program).__name__} has {what}, and gold does not say what is right there: give it a "
        "signature of multihop.signatures, or one made from such a class, or compile whole runs, "
        "without steps and without labeled variants."
    )
