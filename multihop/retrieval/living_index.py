"""An index in parts, which come and go as passages are added and removed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from ..base import MismatchError, flush_folder
from .changing_index import ChangingIndex
from .index_folder import open_manifest, read_manifest
from .living.changes_file import HERE, Changes, describe, publish, read_gone, sweep, write_gone
from .living.corpus import CorpusPart, LivingCorpus, are_same, check_some_left, find_removed_since
from .living.packed import PACKED, read_packed, write_packed
from .passage import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 1024
"""Passages that may be in small parts, or removed, however small the index is."""
SHARE = 10
"""One in so many passages may be in small parts, or removed, before all becomes one part again."""
IN_ONE_FILE = 1024
"""Passages of a part that is kept in one file, and in memory where it is open; larger ones are folders."""

Search = TypeVar("Search")


class State(NamedTuple, Generic[Search]):
    """An index at one moment; a search uses one state from its beginning to its end."""

    corpus: LivingCorpus
    """The passages, in parts."""
    search: Search
    """The search over the parts."""
    changes: Changes
    """The folders of the parts, where the index is in one."""
    manifest: dict[str, Any] | None = None
    """The manifest that names them."""


class LivingIndex(ChangingIndex, Generic[Search]):
    """An index in parts.

    New passages go to a part of their own, small parts are joined, and once a tenth of the corpus has changed, all is
    made one part again, from a state that stays as it is: what is removed meanwhile is removed from the new part too,
    and what is added stays beside it.
    """

    def _start(self, state: State[Search]) -> None:
        """Begin with this state."""
        self._begin()
        self._set(state)

    def _with(self, state: State[Search]) -> Self:
        """The same index in another state."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._set(state)
        return other

    def _set(self, state: State[Search]) -> None:
        self._state = state
        self._passages = state.corpus

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: the corpus as it is now, and the way it is indexed."""
        return {**self._settings, "corpus": self._state.corpus.fingerprint}

    @classmethod
    def _opened(cls, folder: Path, manifest: dict[str, Any]) -> Self:
        return cls._open(folder, Changes.of(manifest.get("changes"), folder), manifest)

    @classmethod
    def _open(cls, folder: Path, changes: Changes, manifest: dict[str, Any] | None = None) -> Self:
        """The index of these parts in `folder`, whose own manifest is read if it is not given and needed."""
        gone = read_gone(folder, changes)
        parts, described = [], []
        for name in changes.parts:
            home = folder / name
            if name.endswith(PACKED):
                part = cls._unpack(*read_packed(home))
                parts.append(replace(part, name=name, gone=gone.get(name, part.gone)))
                continue
            described.append(manifest if name == HERE and manifest else open_manifest(home, cls.kind, cls.format))
            part = cls._read(home, described[-1])
            parts.append(replace(part, name=name, gone=gone.get(name, part.gone)))
        return cls._of(folder, parts, described[0], changes, manifest)._at(folder)

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        corpus = self._state.corpus
        return {id_: corpus[place] for id_, place in corpus.find(ids).items()}

    def _change_once(self, ids: Iterable[str], added: list[Passage]) -> None:
        places = self._state.corpus.find_all(ids)
        check_some_left(len(self._state.corpus) + len(added) - len(places))
        self._publish(self._plan(places, added))

    @property
    def _is_loose(self) -> bool:
        return self._state.corpus.changed > max(LEAST, self._state.corpus.parts[0].left // SHARE)

    def _settle(self) -> State[Search] | None:
        self._publish(self._plan_settled())
        return None if self._state.corpus.is_whole else self._state

    def _made_whole(self, before: State[Search]) -> CorpusPart:
        return self._written(before.corpus.parts, before.changes.next_whole, alone=True)

    def _take_whole(self, before: State[Search], made: CorpusPart) -> None:
        self._publish(self._plan_whole(before, made))

    def _sweep(self) -> None:
        assert self._folder is not None
        sweep(self._folder, self._state.changes)

    def _refresh(self) -> bool:
        if self._folder is None or read_manifest(self._folder) == self._state.manifest:
            return False
        fresh = type(self).load(self._folder)
        if fresh._lasting != self._lasting:
            raise MismatchError(f"{self._folder} now holds an index with other settings; open it anew.")
        self._set(fresh._state)
        return True

    @property
    def _lasting(self) -> dict[str, Any]:
        """The settings that no change of the corpus touches."""
        return {name: value for name, value in self._settings.items() if name != "corpus"}

    def _plan(self, places: Sequence[int], added: list[Passage]) -> State[Search]:
        """The state without the passages at these places and with these; its files are written, and not yet counted."""
        before = self._state
        if not (places or added):
            return before
        settled = before.changes.settled
        parts = self._take_away(before.corpus, places, settled)
        LivingCorpus(parts).check_new(added)
        if added:
            first = _joined_from(parts, len(added), settled)
            parts[first:] = [self._joined([*parts[first:], self._make(added)])]
        return self._state_of(parts, settled)

    def _plan_settled(self) -> State[Search]:
        """The state whose parts are joined with no others; this one, if they are not or there is one part."""
        before, count = self._state, len(self._state.corpus.parts)
        if before.corpus.is_whole or before.changes.settled == count:
            return before
        return before._replace(changes=before.changes._replace(number=before.changes.number + 1, settled=count))

    def _plan_whole(self, before: State[Search], made: CorpusPart) -> State[Search]:
        """The state with one part in the place of those of an earlier one; this one, if they are no longer there."""
        count, parts = len(before.corpus.parts), self._state.corpus.parts
        if not are_same(before.corpus.parts, parts[:count]):
            return self._state
        removed = find_removed_since(before.corpus.parts, parts)
        return self._state_of([self._without(made, removed) if removed else made, *parts[count:]], 1)

    def _take_away(self, corpus: LivingCorpus, places: Sequence[int], settled: int) -> list[CorpusPart]:
        """The parts without the passages at these places; one of which nothing is left goes, unless it is settled."""
        parts = list(corpus.parts)
        local: dict[int, list[int]] = {}
        for place in sorted(places):
            number, within = corpus.locate(place)
            local.setdefault(number, []).append(within)
        for number, some in local.items():
            parts[number] = self._without(parts[number], some)
        return [part for number, part in enumerate(parts) if part.left or number < settled]

    def _joined(self, parts: Sequence[CorpusPart]) -> CorpusPart:
        """One part of small ones, the last of which is new."""
        if self._folder is None and len(parts) == 1:
            return parts[0]
        return self._written(parts, self._state.changes.next_part, alone=False)

    def _written(self, parts: Sequence[CorpusPart], name: str, *, alone: bool) -> CorpusPart:
        """One part of several: on the disk under a name, where the index is."""
        if self._folder is None:
            return self._combine(parts, None, alone=alone)
        if not alone and sum(part.left for part in parts) <= IN_ONE_FILE:
            whole = LivingCorpus(parts).is_whole
            part = parts[0] if whole else self._combine(parts, None, alone=alone)
            write_packed(self._folder / f"{name}{PACKED}", list(part.passages), self._pack(part))
            return replace(part, name=f"{name}{PACKED}")
        part = self._combine(parts, self._folder / name, alone=alone)
        flush_folder(self._folder / name)
        return replace(part, name=name)

    def _state_of(self, parts: Sequence[CorpusPart], settled: int) -> State[Search]:
        """The state with these parts, what was removed from them written."""
        changes = self._state.changes
        if self._folder is None:
            return State(LivingCorpus(parts), self._search_of(parts), changes._replace(settled=settled))
        gone = {str(part.name): part.gone for part in parts}
        name = changes.next_gone if any(len(each.places) for each in gone.values()) else None
        if name is not None:
            write_gone(self._folder, name, gone)
        changes = Changes(tuple(gone), name, changes.number + 1, settled)
        return State(LivingCorpus(parts), self._search_of(parts), changes)

    def _publish(self, state: State[Search]) -> None:
        """From here on the index is in this state."""
        if self._folder is not None and state is not self._state:
            manifest = self._describe(state)
            publish(self._folder, manifest)
            state = state._replace(manifest=read_manifest(self._folder))
        self._set(state)

    def _describe(self, state: State[Search]) -> dict[str, Any]:
        """The manifest of a state in the folder."""
        assert self._folder is not None
        first = state.changes.parts[0]
        known = self._state.manifest if first == HERE else None
        return describe(self._folder, known or read_manifest(self._folder / first), self.format, state.changes)

    @classmethod
    def _of(
        cls,
        folder: Path,
        parts: Sequence[CorpusPart],
        first: dict[str, Any],
        changes: Changes,
        manifest: dict[str, Any] | None,
    ) -> Self:
        """The index of these parts, given the manifest of the first one and that of all."""
        raise NotImplementedError

    @classmethod
    def _read(cls, folder: Path, manifest: dict[str, Any]) -> CorpusPart:
        """The part in a folder."""
        raise NotImplementedError

    def _pack(self, part: CorpusPart) -> "dict[str, NDArray[Any]]":
        """What the index made of a part, as arrays."""
        raise NotImplementedError

    @classmethod
    def _unpack(cls, passages: list[Passage], arrays: "dict[str, NDArray[Any]]") -> CorpusPart:
        """The part of these passages and arrays."""
        raise NotImplementedError

    def _search_of(self, parts: Sequence[CorpusPart]) -> Search:
        """The search over some parts."""
        raise NotImplementedError

    def _make(self, passages: list[Passage]) -> CorpusPart:
        """A part of new passages, in memory."""
        raise NotImplementedError

    def _without(self, part: CorpusPart, places: list[int]) -> CorpusPart:
        """A part without the passages at some more of its places."""
        raise NotImplementedError

    def _combine(self, parts: Sequence[CorpusPart], folder: Path | None, *, alone: bool) -> CorpusPart:
        """One part of the passages that are left of several, in memory, or in a folder that is made for it.

        It is the only one if it is alone.
        """
        raise NotImplementedError


def _joined_from(parts: Sequence[CorpusPart], added: int, settled: int) -> int:
    """The number of the first part that is joined with so many new passages; the number of parts if none is."""
    first = len(parts)
    while first > settled and parts[first - 1].left <= 2 * added:
        first -= 1
        added += parts[first].left
    return first
