"""The items of a source, read anew on every iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

from .skipped import Skipped

Item = TypeVar("Item")


class Reading(Generic[Item]):
    """The questions or passages of a source: opened when gone through, one at a time, as often as you like.

    Nothing is kept in memory; `list` keeps what fits. What is wrong with the source is said on the way.

    Examples:
        >>> from multihop.data import open_questions
        >>> questions = open_questions("little", limit=2)
        >>> [question.id for question in questions] == [question.id for question in questions]
        True
    """

    def __init__(
        self, read: Callable[[Skipped], Iterable[Item]], name: str, *, limit: int | None = None, skip_bad: int = 0
    ) -> None:
        """Nothing is read yet.

        Args:
            read: Opens the source; told where to report the bad records it leaves out.
            name: The name of the source in messages.
            limit: At most so many items, from the start.
            skip_bad: At most so many bad records are left out.
        """
        self._read, self._limit = read, limit
        self.name = name
        """The name of the source in messages."""
        self.skipped = Skipped(skip_bad)
        """The bad records that were left out when the source was last gone through."""

    def __iter__(self) -> Iterator[Item]:
        """The items, from the start."""
        skipped = self.skipped = Skipped(self.skipped.most)
        yield from islice(self._read(skipped), self._limit)

    def __repr__(self) -> str:
        return f"<{self.name}, read anew each time>"
