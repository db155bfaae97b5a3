"""Examples of each step's right answer, made from gold: every signature has a maker of its perfect steps.

An example costs one LM call to try, where a run of the whole program costs a search.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import dspy

from .. import signatures as steps
from ..base import InputError
from ..data import Question
from ..data.gold import GoldHop, GoldPath, GoldReading, Unread, read_gold
from ..data.gold.reading import NO_SUPPORTING
from ..programs.shared.chain import Chain
from ..retrieval import Hit, Passage, Retriever
from ..runtime import Program
from ..signatures.step_signature import origin_of
from . import gold_chains, gold_searches
from .searched_gold import Maker, Scene, set_scenes

MOST_OF_ONE = 0.7
"""The share of the demonstrations that may show the same decision."""
_BALANCED_FROM = 3
"""Demonstrations from which on that can be kept."""
_DRAWN = 4
"""Questions that are drawn each time; the one with the shortest example is taken."""


@dataclass(frozen=True)
class StepExample:
    """The right answer of a step in one state of one question."""

    shown: dspy.Example
    """Its inputs and outputs."""
    decision: str
    """The decision of the step that it shows."""
    question: str
    """The id of the question it is from."""

    @cached_property
    def length(self) -> int:
        """Characters of all its values."""
        return sum(len(str(value)) for value in self.shown.toDict().values())


@dataclass(frozen=True)
class ExamplePool:
    """All examples of one step."""

    examples: tuple[StepExample, ...]
    decisions: tuple[str, ...]
    """The decisions that the step chooses between."""
    optional: frozenset[str] = frozenset()
    """Decisions that are shown in turns where there are examples of them, and may be missing."""

    def choose(self, count: int, *, seed: int, step: str = "") -> list[dspy.Example]:
        """So many demonstrations; with the same seed, fewer are the first of these.

        Args:
            count: The number of demonstrations.
            seed: The seed of the choice.
            step: The step's name, for the error.

        Raises:
            InputError: There are too few questions, or too few examples of one decision beside the others.
        """
        chosen = self._draw(count, seed)
        few = self._too_few(chosen, count)
        if len(chosen) == count and not few:
            return [example.shown for example in chosen]
        raise InputError(
            f"{count} demonstrations of step '{step}' need as many training questions, with examples of each decision; "
            f"there are {len(self.examples)} examples from {self.questions} questions"
            + (f", too few of them of {' and '.join(repr(each) for each in few)}" if few else "")
            + ": give more training questions, or take a variant with fewer demonstrations."
        )

    def sample(self, count: int, *, seed: int) -> list[dspy.Example]:
        """So many examples, or as many as there are from different questions, to try a step on."""
        return [example.shown for example in self._draw(count, seed)]

    @property
    def questions(self) -> int:
        """The number of questions that the examples are from."""
        return len(self._by_question)

    def _too_few(self, chosen: list[StepExample], count: int) -> list[str]:
        """The decisions that are missing, or that are too few beside one that is shown too often."""
        kinds = list(dict.fromkeys(map(self._kind, self.decisions)))
        if count < _BALANCED_FROM or len(kinds) < 2:
            return []
        shown = Counter(self._kind(example.decision) for example in chosen)
        most = max(kinds, key=lambda kind: shown[kind])
        others = [kind for kind in kinds if kind != most] if shown[most] > MOST_OF_ONE * count else []
        return [kind for kind in kinds if not shown[kind]] or others

    def _kind(self, decision: str) -> str:
        """The decision; those that may be missing count as one."""
        alike = [each for each in self.decisions if each in self.optional]
        return " or ".join(alike) if decision in alike else decision

    @cached_property
    def _by_question(self) -> dict[str, dict[str, StepExample]]:
        """By question and decision, the shortest example."""
        found: dict[str, dict[str, StepExample]] = defaultdict(dict)
        for example in sorted(self.examples, key=lambda each: each.length):
            found[example.question].setdefault(example.decision, example)
        order = {example.question: None for example in self.examples}
        return {question: found[question] for question in order}

    def _draw(self, count: int, seed: int) -> list[StepExample]:
        """The examples in the order of choice: how many are wanted changes nothing about the first ones.

        The decisions take turns. Of the first few questions, in an order that the seed draws, that show the one whose
        turn it is, the one with the shortest example is taken.
        """
        left = list(self._by_question)
        random.Random(seed).shuffle(left)
        there = {example.decision for example in self.examples}
        turns = [each for each in self.decisions if each in there]
        chosen: list[StepExample] = []
        while left and len(chosen) < count:
            place = len(chosen) % len(turns)
            for decision in (*turns[place:], *turns[:place]):
                if fitting := [each for each in left if decision in self._by_question[each]][:_DRAWN]:
                    break
            shortest = min(fitting, key=lambda each: self._by_question[each][decision].length)
            left.remove(shortest)
            chosen.append(self._by_question[shortest][decision])
        return chosen


MOST_QUESTIONS = 500
"""Training questions that examples are made from; of more, so many are drawn."""
MAKERS: dict[str, Maker] = {**gold_chains.MAKERS, **gold_searches.MAKERS}
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
