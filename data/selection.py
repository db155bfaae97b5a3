"""The selection of a source's questions to ask: those after the first few, and a sample drawn of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice

from ..base import InputError
from .question import Question
from .reading import OnBad, Reading


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice that is the same on every machine: it goes by the questions' ids, not by their places.

    A larger sample with the same seed holds the smaller one.

    Examples:
        >>> from multihop.data import Selection, open_questions
        >>> chosen = Selection(offset=10, sample=3, seed=1).choose(open_questions("little"))
        >>> len(list(chosen))
        3
        >>> print(Selection(offset=10, sample=3, seed=1))
        3 drawn with seed 1 of those after the first 10
    """

    offset: int = 0
    """The number of first questions that are passed over."""
    sample: int | None = None
    """The number of the others that are drawn; None for all."""
    seed: int = 0
    """Another seed draws others."""

    def __post_init__(self) -> None:
        """Refuse numbers that choose nothing."""
        if self.offset < 0 or (self.sample is not None and self.sample < 1):
            raise InputError("an offset is a whole number from 0 on, and a sample one from 1 on.")
        if self.seed and self.sample is None:
            raise InputError("a seed for the sample goes with a sample; say how many questions are drawn.")

    def __bool__(self) -> bool:
        """True if it leaves any question out."""
        return bool(self.offset) or self.sample is not None

    def __str__(self) -> str:
        """The selection in words; empty if all are asked."""
        rest = f"those after the first {self.offset:,}" if self.offset else "all"
        if self.sample is None:
            return rest if self.offset else ""
        return f"{self.sample:,} drawn with seed {self.seed} of {rest}"

    def count(self, total: int, limit: int | None = None) -> int:
        """The number of questions it asks of a total."""
        left = max(total - self.offset, 0)
        return min(number for number in (left, self.sample, limit) if number is not None)

    def choose(self, questions: Reading[Question]) -> Reading[Question]:
        """The chosen questions, in the order of their source; to draw, the source is gone through once.

        Raises:
            InputError: The source holds too few questions.
        """
        if not self:
            return questions
        last: bytes | None = None
        if self.sample is not None:  # only the places of the drawn ones are held in memory
            left = islice(questions, self.offset, None)
            places = nsmallest(self.sample, (shuffled_place(question, self.seed) for question in left))
            if len(places) < self.sample:
                after = f" after the first {self.offset:,}" if self.offset else ""
                raise InputError(f"{self.sample:,} questions cannot be drawn: the source has {len(places):,}{after}.")
            last = places[-1]

        def read(on_bad: OnBad) -> Iterator[Question]:
            rest = islice(questions, self.offset, None)
            return (question for question in rest if last is None or shuffled_place(question, self.seed) <= last)

        if last is None and next(iter(read(lambda error: None)), None) is None:
            raise InputError(f"no question of {questions.name} is left after the first {self.offset:,}.")
        return Reading(read, questions.name)


def shuffled_place(question: Question, seed: int) -> bytes:
    """The key that sorts questions into a shuffled order, another one for another seed."""
    return blake2b(f"{seed}:{question.id}".encode(), digest_size=16).digest()
