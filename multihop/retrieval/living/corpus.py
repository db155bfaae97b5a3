"""A corpus in parts: the passages of all of them, but for those that were removed."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ...base import InputError
from ..corpus_check import CorpusCheck
from ..id_table import IdTable
from ..passage import Passage, Passages
from .gone import Gone

_CHECKED = 4096
Place = TypeVar("Place")


@dataclass(frozen=True, kw_only=True)
class CorpusPart:
    """Some passages in a row, and what an index made of them."""

    passages: Passages
    """All passages of the part."""
    index: Any
    """Their words or vectors, as the kind of index keeps them."""
    gone: Gone = field(default_factory=Gone.nothing)
    """The passages that were removed since."""
    name: str | None = None
    """The part's folder within that of the index; None if the part is not in one."""
    fingerprint: str | None = None
    """The identity of all its passages, where it is known."""
    table: IdTable | None = None
    """The places of the passages by their ids, where they were kept."""

    @cached_property
    def ids(self) -> IdTable:
        """The places of the passages by their ids."""
        return IdTable.of(self.passages) if self.table is None else self.table

    def without(self, gone: Gone) -> "CorpusPart":
        """The part when these are all that were removed."""
        return replace(self, gone=gone, table=self.ids)

    @property
    def left(self) -> int:
        """The number of passages that were not removed."""
        return len(self.passages) - len(self.gone.places)


class FoundById(Generic[Place]):
    """Passages that are found by their ids, each at a place."""

    def find(self, ids: Sequence[str]) -> dict[str, Place]:
        """The places of those of the ids that the corpus has."""
        raise NotImplementedError

    def find_all(self, ids: Iterable[str]) -> list[Place]:
        """The places of all the ids.

        Raises:
            InputError: The corpus does not have one of them, or it is named twice.
        """
        wanted = check_ids(ids)
        found, named = self.find(wanted), set[str]()
        for id_ in wanted:
            if id_ not in found:
                raise InputError(f"the index has no passage with the id '{id_:.80}'; nothing was changed.")
            if id_ in named:
                raise InputError(f"passage id '{id_:.80}' is given twice; nothing was changed.")
            named.add(id_)
        return [found[id_] for id_ in wanted]

    def check_new(self, passages: Sequence[Passage]) -> None:
        """Refuse what cannot be added.

        Raises:
            InputError: An id is in the corpus already.
        """
        for id_ in self.find([passage.id for passage in passages]):
            raise InputError(
                f"the index has a passage with the id '{id_:.80}' already, and nothing was changed; to put another in "
                "its place, update it."
            )


class LivingCorpus(FoundById[int]):
    """Passages in the order in which an index built anew would have them: first come, first placed.

    A place counts through all parts, removed passages included, so that it stays when others are removed.
    """

    def __init__(self, parts: Sequence[CorpusPart]) -> None:
        """The parts in their order."""
        self.parts = tuple(parts)
        self._starts = list(accumulate((len(part.passages) for part in parts), initial=0))

    @property
    def is_whole(self) -> bool:
        """True if there is one part, of which nothing was removed."""
        return len(self.parts) == 1 and not len(self.parts[0].gone.places)

    @property
    def changed(self) -> int:
        """The number of passages that are not in the first part, and of those that were removed."""
        return len(self) - self.parts[0].left + sum(len(part.gone.places) for part in self.parts)

    def __len__(self) -> int:
        """The number of passages, without those that were removed."""
        return sum(part.left for part in self.parts)

    def __getitem__(self, place: int) -> Passage:
        number, local = self.locate(place)
        return self.parts[number].passages[local]

    def __iter__(self) -> Iterator[Passage]:
        for part in self.parts:
            gone = set(part.gone.places.tolist())
            yield from (passage for place, passage in enumerate(part.passages) if place not in gone)

    def locate(self, place: int) -> tuple[int, int]:
        """The part that has the passage at a place, and its place there."""
        number = bisect_right(self._starts, place) - 1
        return number, place - self._starts[number]

    @cached_property
    def fingerprint(self) -> str:
        """The identity that an index built anew of these passages would have: all of them are read for it, once."""
        known = self.parts[0].fingerprint if self.is_whole else None
        if known is not None:
            return known
        check = CorpusCheck()
        for _ in check.blocks(self, _CHECKED):
            pass
        return check.fingerprint

    def find(self, ids: Sequence[str]) -> dict[str, int]:
        """The places of those of the ids that the corpus has."""
        found: dict[str, int] = {}
        for part, start in zip(self.parts, self._starts, strict=False):
            here = part.ids.find(ids, part.passages)
            gone = set(part.gone.places.tolist()) if here else set()
            found |= {id_: start + place for id_, place in here.items() if place not in gone}
        return found


def check_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list.

    Raises:
        InputError: They are one text, or one of them is none.
    """
    if isinstance(ids, str):
        raise InputError(f"ids are given as a list, not as one text; write [{ids!r:.60}].")
    wanted = list(ids)
    for id_ in wanted:
        if not isinstance(id_, str):
            raise InputError(f"{id_!r:.80} is no id, which is a text; nothing was changed.")
    return wanted


def check_passages(passages: Iterable[Passage]) -> list[Passage]:
    """The passages as a list.

    Raises:
        InputError: One is no passage, or an id is given twice.
    """
    listed = list(passages)
    check = CorpusCheck()
    check.add(listed)
    check.refuse_duplicates(listed)
    return listed


def check_some_left(passages: int) -> None:
    """Refuse a change that leaves nothing.

    Raises:
        InputError: It does.
    """
    if not passages:
        raise InputError("an index has one passage or more, and these are all; delete the index instead.")


def are_same(parts: Sequence[CorpusPart], others: Sequence[CorpusPart]) -> bool:
    """True if these are the same parts, whatever was removed from them."""
    return [(part.name, part.fingerprint) for part in parts] == [(part.name, part.fingerprint) for part in others]


def find_removed_since(parts: Sequence[CorpusPart], now: Sequence[CorpusPart]) -> list[int]:
    """Of the passages that were left in some parts those that were removed since, as places among all of these.

    Args:
        parts: The parts as they were.
        now: The same as they are now; others may stand behind them.
    """
    import numpy as np

    removed: list[int] = []
    start = 0
    for before, after in zip(parts, now, strict=False):
        since = np.setdiff1d(after.gone.places, before.gone.places, assume_unique=True)
        removed += (since - np.searchsorted(before.gone.places, since) + start).tolist()
        start += before.left
    return removed
