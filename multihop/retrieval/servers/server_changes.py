"""The changes of a corpus on a server: what is to be seen of it while and after it is changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import ujson

from ..living.corpus import FoundById, check_some_left
from ..passage import Passage

AT_ONCE = 4000
"""Passages that are added, or removed, in one step; more take several."""


class ServerChanges(NamedTuple):
    """What is to be seen of an index: passages before one place, but for some that are still to be deleted.

    New passages stand behind that place, where nobody sees them until the index's description of itself says so.
    """

    following: int
    """The place of the next passage that is added."""
    gone: tuple[int, ...] = ()
    """The places of passages that were removed, and are yet to be deleted."""
    number: int = 0
    """The number of changes so far."""

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> "ServerChanges | None":
        """What the description of an index says; None where it has never changed."""
        found = about.get("changes")
        return None if found is None else cls(int(found["following"]), tuple(found["gone"]), int(found["number"]))

    def described(self) -> dict[str, Any]:
        """The part of the description."""
        return {"following": self.following, "gone": list(self.gone), "number": self.number}


class _Found(FoundById[int]):
    def __init__(self, found: Mapping[str, int]) -> None:
        self._found = found

    def find(self, ids: Sequence[str]) -> dict[str, int]:
        return {id_: self._found[id_] for id_ in ids if id_ in self._found}


def check_change(found: Mapping[str, int], ids: Sequence[str], added: Sequence[Passage], passages: int) -> list[int]:
    """The places of the passages to remove.

    Args:
        found: The places of those of all ids, of old passages and of new ones, that are there.
        ids: The ids of the passages to remove.
        added: The passages to add.
        passages: The number of passages that are there.

    Raises:
        InputError: One is not there, or is there already, or none would be left.
    """
    places = _Found(found).find_all(ids)
    check_some_left(passages + len(added) - len(places))
    out = set(ids)
    _Found({id_: place for id_, place in found.items() if id_ not in out}).check_new(added)
    return places


def named_in(ids: Iterable[str], added: Sequence[Passage]) -> list[str]:
    """All ids of a change, once each."""
    return list(dict.fromkeys([*ids, *(each.id for each in added)]))


def in_steps(ids: list[str], added: list[Passage]) -> Iterator[tuple[list[str], list[Passage]]]:
    """A change in steps, each of which happens whole: a passage that takes the place of another comes with it."""
    new = {each.id: each for each in added}
    pairs = [(id_, new.pop(id_, None)) for id_ in ids] + [(None, each) for each in new.values()]
    for start in range(0, len(pairs), AT_ONCE):
        block = pairs[start : start + AT_ONCE]
        yield [id_ for id_, _ in block if id_ is not None], [each for _, each in block if each is not None]


def corpus_after(corpus: str, ids: Sequence[str], added: Sequence[Passage]) -> str:
    """The identity of a corpus after a change: the same for the same changes of the same corpus."""
    told = ujson.dumps([corpus, ids, [list(each) for each in added]])
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
