"""Examples of each step's right answer, made from gold: every signature has a maker of its perfect steps.

An example costs one LM call to try, where a run of the whole program costs a search.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import dspy

from ... import signatures as steps
from ...base import InputError
from ...data import Question
from ...data.gold import GoldHop, GoldPath, GoldReading, Unread, read_gold
from ...data.gold.reading import NO_SUPPORTING
from ...programs.shared.chain import Chain
from ...retrieval import Hit, Passage, Retriever
from ...runtime import Program
from ...signatures.step_signature import origin_of
from .choosing import ExamplePool, StepExample
from .makers import in_searches, on_the_way
from .makers.scene import Maker, Scene, set_scenes

MOST_QUESTIONS = 500
"""Training questions that examples are made from; of more, so many are drawn."""
MAKERS: dict[str, Maker] = {**on_the_way.MAKERS, **in_searches.MAKERS}
"""The maker of examples for each signature."""


def step_examples(program: Program, scenes: Iterable[Scene]) -> dict[str, ExamplePool]:
    """For each predictor of the program, by the name DSPy lists it under, examples of what it should answer.

    A step that needs sub-questions has examples only from questions whose set tells them, see `untold`.

    Raises:
        InputError: Nobody knows what a step should answer, since it has a signature, or an output, of its own.
    """
    check_steps(program)
    staged = list(scenes)
    return {
        name: make_pool(MAKERS[_known(program, name, predictor.signature)], predictor.signature, staged)
        for name, predictor in program.named_predictors()
    }


def make_pool(maker: Maker, signature: type[dspy.Signature], scenes: Iterable[Scene]) -> ExamplePool:
    """The examples of one signature: of each row, the fields that it has, where gold tells them all."""
    examples = [
        StepExample(
            dspy.Example(**values).with_inputs(*signature.input_fields),
            row.decision,
            scene.path.question.id,
        )
        for scene in scenes
        if scene.path.tells_hops or not maker.told
        for row in maker.rows(scene)
        if row.decision in maker.decisions
        and None not in (values := {name: row.fields[name] for name in signature.fields}).values()
    ]
    return ExamplePool(tuple(examples), maker.decisions, maker.optional)


def untold(made: Mapping[str, ExamplePool], scenes: Sequence[Scene]) -> str:
    """One sentence that names the steps without examples, and says why; empty where every step has some."""
    without = dict.fromkeys(name.partition(".")[0] for name, pool in made.items() if not pool.examples)
    told = sum(scene.path.tells_hops for scene in scenes)
    return (
        f"{told} of {len(scenes)} training questions tell their sub-questions, so these steps have no examples from "
        f"gold: {', '.join(without)}"
        if without
        else ""
    )


def scenes_for(
    program: Program,
    train: Sequence[Question],
    *,
    retriever: Retriever | None = None,
    seed: int = 0,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Scene]:
    """The training questions whose gold can be read, with what the program's retriever finds on their ways.

    A program that answers at once needs no more than questions and answers.

    Args:
        program: Whose retriever finds the paragraphs that do not help; one that can be gone through also has the gold
            paragraphs that questions do not bring.
        train: With answers and supporting paragraphs.
        retriever: In place of the program's, which may have none.
        seed: Draws the questions, where there are more than are needed.
        tell: Called with a line about the questions whose gold cannot be read, where there are such.

    Raises:
        InputError: Of no question the gold can be read.
    """
    drawn = list(train)
    if len(drawn) > MOST_QUESTIONS:
        places = sorted(random.Random(seed).sample(range(len(drawn)), MOST_QUESTIONS))
        drawn = [drawn[place] for place in places]
    retriever = retriever or program.retriever
    if all(set(predictor.signature.fields) == {"question", "answer"} for predictor in program.predictors()):
        reading = _answered_at_once(drawn)
    else:
        reading = read_gold(drawn, _gold_passages(retriever, drawn))
    if not reading.paths:
        raise InputError(_nothing_to_teach(program, reading))
    if reading.unread:
        tell(str(reading))
    return set_scenes(reading.paths, retriever or _Nothing(), chain=isinstance(program, Chain))


def _answered_at_once(questions: Sequence[Question]) -> GoldReading:
    """Ways of one hop: the question itself, and its answer."""
    told = [question for question in questions if question.answers]
    hops = (GoldHop(each.question, each.answer, Passage(each.id, "", each.answer), each.answer) for each in told)
    paths = [GoldPath(question, (hop,)) for question, hop in zip(told, hops, strict=True)]
    return GoldReading(paths, [Unread(each.id, "it has no accepted answer") for each in questions if not each.answers])


def _nothing_to_teach(program: Program, reading: GoldReading) -> str:
    """The reason why no example of a step can be made, and the remedy."""
    if reading.unread and all(each.reason == NO_SUPPORTING for each in reading.unread):
        return (
            f"examples for the steps of {program.name} need the ids of the passages that hold the answer, and no "
            "training question names any: add `supporting` to the questions, or take variants without such examples, "
            "zero-shot or bootstrapped."
        )
    first = f"; {reading.unread[0].id}: {reading.unread[0].reason}" if reading.unread else ""
    return f"of none of the {len(reading.unread)} questions the gold can be read{first}."


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
