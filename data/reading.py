"""The items of a source, read anew on every iteration; bad records are refused, or left out up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from ..base import InputError
from ..base.imports import dspy

if TYPE_CHECKING:
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
        self.what = "bad record"
        """The kind that is counted: records, or the documents of a folder, which are left out however many they are."""

    def __call__(self, error: InputError) -> None:
        """Count one more, or refuse it."""
        if self.count == self.most and self.what == "bad record":
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
