"""An index in parts, which come and go as passages are added and removed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar

from ..base import InputError, MismatchError
from .changing_index import ChangingIndex, Turn
from .index_folder import open_manifest, read_manifest
from .living.changes_file import HERE, Changes, describe, publish, read_gone, sweep, write_gone
from .living.corpus import CorpusPart, LivingCorpus
from .passage import Passage

LEAST = 1024
"""Passages that may be in small parts, or removed, however small the index is."""
SHARE = 10
"""One in so many passages may be in small parts, or removed, before all becomes one part again."""

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
    one part again.
    """

    def _start(self, state: State[Search]) -> None:
        """Begin with this state."""
        self._turn = Turn()
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
            described.append(manifest if name == HERE and manifest else open_manifest(home, cls.kind, cls.format))
            part = cls._read(home, described[-1])
            parts.append(replace(part, name=name, gone=gone.get(name, part.gone)))
        return cls._of(folder, parts, described[0], changes, manifest)._at(folder)

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        corpus = self._state.corpus
        return {id_: corpus[place] for id_, place in corpus.find(ids).items()}

    def compact(self) -> None:
        """Make one part of all; searches find the same, and as fast as in an index built anew."""
        with self._writing():
            self._publish(self._plan_compact())

    def _change(self, ids: Iterable[str], added: list[Passage]) -> None:
        with self._writing():
            self._publish(self._plan(self._state.corpus.find_all(ids), added))

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
        if len(before.corpus) + len(added) == len(places):
            raise InputError("an index has one passage or more, and these are all; delete the index instead.")
        parts = self._take_away(before.corpus, places)
        LivingCorpus(parts).check_new(added)
        if added:
            parts.append(self._make(added))
        return self._settle(parts, self._joined_from(parts, bool(added)))

    def _plan_compact(self) -> State[Search]:
        """The state with one part."""
        return self._state if self._state.corpus.is_whole else self._settle(list(self._state.corpus.parts), 0)

    def _take_away(self, corpus: LivingCorpus, places: Sequence[int]) -> list[CorpusPart]:
        """The parts without the passages at these places; a small part of which nothing is left goes."""
        parts = list(corpus.parts)
        local: dict[int, list[int]] = {}
        for place in sorted(places):
            number, within = corpus.locate(place)
            local.setdefault(number, []).append(within)
        for number, some in local.items():
            parts[number] = self._without(parts[number], some)
        return [part for number, part in enumerate(parts) if part.left or not number]

    def _joined_from(self, parts: Sequence[CorpusPart], added: bool) -> int:
        """The number of the first part that is joined with all after it; the number of parts if none is."""
        left = [part.left for part in parts]
        loose = sum(left[1:]) + sum(len(part.gone.places) for part in parts)
        if loose > max(LEAST, left[0] // SHARE):
            return 0
        first = len(parts) - added
        while added and first > 1 and left[first - 1] <= 2 * sum(left[first:]):
            first -= 1
        return first

    def _settle(self, parts: list[CorpusPart], first: int) -> State[Search]:
        """The state with these parts, those from the first one on joined; what is new of them is written."""
        changes = self._state.changes
        if self._folder is None:
            if parts[first:] and not LivingCorpus(parts[first:]).is_whole:
                parts[first:] = [self._combine(parts[first:], None, alone=not first)]
            return self._state_of(parts, changes)
        if first < len(parts):
            home = self._folder / changes.next_part
            parts[first:] = [replace(self._combine(parts[first:], home, alone=not first), name=changes.next_part)]
        gone = {str(part.name): part.gone for part in parts}
        name = changes.next_gone if any(len(each.places) for each in gone.values()) else None
        if name is not None:
            write_gone(self._folder, name, gone)
        return self._state_of(parts, Changes(tuple(gone), name, changes.number + 1))

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

    def _state_of(self, parts: Sequence[CorpusPart], changes: Changes) -> State[Search]:
        return State(LivingCorpus(parts), self._search_of(parts), changes)

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
