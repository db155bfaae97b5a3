"""Chooses the examples that become demonstrations: drawn at random, balanced over decisions, no two of one question."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

import dspy

from ...base import InputError

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
