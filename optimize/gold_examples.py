"""Examples of each step's right answer, made from gold, and the choice of those that become demonstrations.

An example costs one LM call to try, where a run of the whole program costs a search.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import dspy

from .. import signatures
from ..base import InputError
from ..data import Question
from ..data.gold import NO_SUPPORTING, GoldHop, GoldPath, GoldReading, Unread, read_gold
from ..programs.shared.chain import Chain
from ..retrieval import Passage, Retriever
from ..runtime import Program
from ..signatures.step_signature import origin_of
from . import gold_agents, gold_chains  # noqa: F401 - they fill the table of gold's ways
from .searched_path import GOLD_STEPS, GoldStep, SearchedPath, search_paths

MOST_QUESTIONS = 500
"""Training questions that examples are made from; of more, so many are drawn."""
MOST_OF_ONE_KIND = 0.7
"""The share of the demonstrations that may show the same kind of answer."""
_BALANCED_FROM = 3
"""Demonstrations from which on that can be kept."""
_DRAWN = 4
"""Questions that are drawn each time; the one with the shortest example is taken."""


@dataclass(frozen=True)
class StepExample:
    """The right answer of a step in one state of one question."""

    shown: dspy.Example
    """The step's inputs and outputs."""
    kind: str
    """The kind of answer that it shows, such as "accept"."""
    question: str
    """The id of the question it is from."""

    @cached_property
    def length(self) -> int:
        """Characters of all its values."""
        return sum(len(str(value)) for value in self.shown.toDict().values())


@dataclass(frozen=True)
class ExamplePool:
    """All examples of one step; no two that are chosen are of one question."""

    examples: tuple[StepExample, ...]
    kinds: tuple[str, ...]
    """The kinds of answers that the step chooses between."""
    optional: frozenset[str] = frozenset()
    """Kinds that are shown in turns where there are examples of them, and may be missing."""

    def choose(self, count: int, *, seed: int, step: str = "") -> list[dspy.Example]:
        """So many demonstrations, balanced over kinds; with the same seed, fewer are the first of these."""
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
        return len(self._shortest)

    def _too_few(self, chosen: list[StepExample], count: int) -> list[str]:
        """The kinds that are missing, or that are too few beside one that is shown too often; optional ones are one."""
        alike = [each for each in self.kinds if each in self.optional]
        name = {each: " or ".join(alike) if each in alike else each for each in self.kinds}
        kinds = list(dict.fromkeys(name.values()))
        if count < _BALANCED_FROM or len(kinds) < 2:
            return []
        shown = Counter(name[example.kind] for example in chosen)
        most = max(kinds, key=lambda kind: shown[kind])
        others = [kind for kind in kinds if kind != most] if shown[most] > MOST_OF_ONE_KIND * count else []
        return [kind for kind in kinds if not shown[kind]] or others

    @cached_property
    def _shortest(self) -> dict[str, dict[str, StepExample]]:
        """By question and kind, the shortest example."""
        found: dict[str, dict[str, StepExample]] = {example.question: {} for example in self.examples}
        for example in sorted(self.examples, key=lambda each: each.length):
            found[example.question].setdefault(example.kind, example)
        return found

    def _draw(self, count: int, seed: int) -> list[StepExample]:
        """The examples in the order of choice: how many are wanted changes nothing about the first ones.

        The kinds take turns. Of the first few questions, in an order that the seed draws, that show the one whose turn
        it is, the one with the shortest example is taken.
        """
        left = list(self._shortest)
        random.Random(seed).shuffle(left)
        there = {example.kind for example in self.examples}
        turns = [each for each in self.kinds if each in there]
        chosen: list[StepExample] = []
        while left and len(chosen) < count:
            place = len(chosen) % len(turns)
            for kind in (*turns[place:], *turns[:place]):
                if fitting := [each for each in left if kind in self._shortest[each]][:_DRAWN]:
                    break
            question = min(fitting, key=lambda each: self._shortest[each][kind].length)
            left.remove(question)
            chosen.append(self._shortest[question][kind])
        return chosen


def step_examples(program: Program, paths: Sequence[SearchedPath]) -> dict[str, ExamplePool]:
    """For each predictor of the program, by the name DSPy lists it under, examples of what it should answer."""
    check_steps(program)
    return {
        name: make_pool(GOLD_STEPS[_known(program, name, predictor.signature)], predictor.signature, paths)
        for name, predictor in program.named_predictors()
    }


def make_pool(step: GoldStep, signature: type[dspy.Signature], paths: Iterable[SearchedPath]) -> ExamplePool:
    """The examples of one signature: the fields that it has, where gold tells them all."""
    made = [
        StepExample(dspy.Example(**values).with_inputs(*signature.input_fields), kind, gold.path.question.id)
        for gold in paths
        if gold.path.tells_hops or not step.needs_hops
        for kind, fields in step.examples(gold)
        if kind in step.kinds and None not in (values := {name: fields[name] for name in signature.fields}).values()
    ]
    return ExamplePool(tuple(made), step.kinds, step.optional)


def steps_without_examples(made: Mapping[str, ExamplePool], paths: Sequence[SearchedPath]) -> str:
    """One sentence that names the steps without examples, and says why; empty where every step has some."""
    without = dict.fromkeys(name.partition(".")[0] for name, pool in made.items() if not pool.examples)
    if not without:
        return ""
    told = sum(gold.path.tells_hops for gold in paths)
    return (
        f"{told} of {len(paths)} training questions tell their sub-questions, so these steps have no examples from "
        f"gold: {', '.join(without)}"
    )


def searched_gold(
    program: Program,
    train: Sequence[Question],
    *,
    retriever: Retriever | None = None,
    wide: bool = False,
    seed: int = 0,
    tell: Callable[[str], None] = lambda line: None,
) -> list[SearchedPath]:
    """The training questions whose gold can be read, with what the program's retriever finds on their ways.

    Of many questions some are drawn, unless the examples are `wide`: for a model that learns them.
    """
    drawn = list(train)
    if len(drawn) > MOST_QUESTIONS and not wide:
        places = sorted(random.Random(seed).sample(range(len(drawn)), MOST_QUESTIONS))
        drawn = [drawn[place] for place in places]
    retriever = retriever or program.retriever
    if all(set(predictor.signature.fields) == {"question", "answer"} for predictor in program.predictors()):
        reading = _answered_at_once(drawn)
    else:
        brought = {page.id for question in drawn for page in question.passages}
        needed = {name for question in drawn for name in question.supporting} - brought
        reading = read_gold(drawn, passages_named(retriever, needed))
    if not reading.paths:
        raise InputError(_nothing_to_teach(program, reading))
    if reading.unread:
        tell(str(reading))
    return search_paths(reading.paths, retriever, chain=isinstance(program, Chain), wide=wide)


def _answered_at_once(questions: Sequence[Question]) -> GoldReading:
    """Paths of one hop: the question itself, and its answer."""
    paths, unread = [], []
    for each in questions:
        if each.answers:
            hop = GoldHop(each.question, each.answer, Passage(each.id, "", each.answer), each.answer)
            paths.append(GoldPath(each, (hop,)))
        else:
            unread.append(Unread(each.id, "it has no accepted answer"))
    return GoldReading(paths, unread)


def passages_named(retriever: object, ids: Set[str]) -> dict[str, Passage]:
    """The passages with these ids, by id; none where the retriever does not give its passages."""
    pages = retriever if ids and isinstance(retriever, Iterable) else ()
    return {page.id: page for page in pages if page.id in ids}


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


def check_steps(program: Program) -> None:
    """Refuse a program with a step that gold teaches nothing, before anything is paid for."""
    for name, predictor in program.named_predictors():
        known = getattr(signatures, _known(program, name, predictor.signature)).fields
        for field in predictor.signature.fields:
            if field not in known and field != "reasoning":
                raise InputError(_no_gold(program, name, f"the field '{field}' of its own"))


def _known(program: Program, name: str, signature: type[dspy.Signature]) -> str:
    """The name of the signature of ours: told by the class that it was made from, or is a kind of."""
    for kind in origin_of(signature).__mro__:
        written: str = kind.__name__
        if written in GOLD_STEPS and getattr(signatures, written) is kind:
            return written
    raise InputError(_no_gold(program, name, "a signature of its own"))


def _no_gold(program: Program, name: str, what: str) -> str:
    step = name.partition(".")[0]
    return (
        f"step '{step}' of {type(program).__name__} has {what}, and gold does not say what is right there: give it a "
        "signature of multihop.signatures, or one made from such a class, or compile whole runs, "
        "without steps and without labeled variants."
    )
