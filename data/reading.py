"""The items of a source, read anew on every iteration, and the selection of questions that are asked.

Bad records are refused, or left out up to a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from typing import Generic, TypeVar

from ..base import InputError
from ..base.imports import dspy
from .question import Question

Item = TypeVar("Item")
SHOWN = 3
OnBad = Callable[[InputError], None]
"""A function called with the error of each record that cannot be used; it raises, or the record is left out."""


def refuse(error: InputError) -> None:
    """Leave nothing out: the first bad record is an error."""
    raise error


class Skipped:
    """The number of bad records left out, and the errors of the first three."""

    def __init__(self, most: int = 0) -> None:
        """At most `most` records may be left out; the next one is refused."""
        if most < 0:
            raise InputError(f"the number of bad records to leave out must be 0 or more, not {most}.")
        self.most = most
        self.count = 0
        """The number of records left out."""
        self.reasons: list[str] = []
        """The errors of the first three, each with its place."""
        self.what, self.bounded = "bad record", True
        """The kind of thing that is counted, and True if too many of it are an error."""

    def __call__(self, error: InputError) -> None:
        """Count one more, or refuse it."""
        if self.bounded and self.count == self.most:
            if self.most:
                message = f"{error} That is one more than the {self.most} bad records to leave out."
                raise type(error)(message) from error
            raise error
        self.count += 1
        if len(self.reasons) < SHOWN:
            self.reasons.append(str(error))

    def __str__(self) -> str:
        """The count and the first reasons, on one line."""
        records = f"1 {self.what} was" if self.count == 1 else f"{self.count:,} {self.what}s were"
        first = f": {' '.join(self.reasons)}" if self.reasons else "."
        return f"{records} left out{', the first' if self.count > SHOWN else ''}{first}"


class Reading(Generic[Item]):
    """The questions or passages of a source, opened when gone through, one at a time, as often as you like.

    Nothing is kept in memory; `list` keeps what fits. Errors of the source are raised on the way.

    Examples:
        >>> from multihop.data import open_questions
        >>> questions = open_questions("little", limit=2)
        >>> [question.id for question in questions] == [question.id for question in questions]
        True
    """

    def __init__(
        self, read: Callable[[Skipped], Iterable[Item]], name: str, *, limit: int | None = None, skip_bad: int = 0
    ) -> None:
        """`read` opens the source; it is given what to call with the error of each bad record."""
        self._read, self._limit = read, limit
        self.name = name
        """The name of the source in messages."""
        self.skipped = Skipped(skip_bad)
        """The bad records that were left out when the source was last gone through."""

    def __iter__(self) -> Iterator[Item]:
        """The items, from the start."""
        skipped = self.skipped = Skipped(self.skipped.most)
        yield from islice(self._read(skipped), self._limit)

    def examples(self: Reading[Question]) -> list[dspy.Example]:
        """The questions as a list of `dspy.Example`, which Evaluate and the optimizers take."""
        return [question.to_example() for question in self]

    def __repr__(self) -> str:
        return f"<{self.name}, read anew each time>"


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
