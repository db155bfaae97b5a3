"""The base classes of indexes: they search, give their passages back, are pickled, never copied, and may change."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel

from ..base import InputError, MismatchError
from .corpus import IDS, CorpusCheck, HashTable, PassageFile
from .index_folder import (
    FORMAT,
    MANIFEST,
    damaged,
    index_fingerprint,
    open_manifest,
    read_latest,
    read_state,
    reading_index,
    seal,
    writing_index,
)
from .passage import Hit, Passage, Passages

if TYPE_CHECKING:
    from numpy.typing import NDArray

PlaceScores = list[tuple[int, float]]
"""A ranking before its passages are read: where each is in the corpus, and its score, best first."""


class CorpusIndex:
    """An index over passages that it holds or reads from its folder.

    Pickled, one in memory goes with all it holds, and one in a folder as the folder's path: opened again, it must still
    be the same index.
    """

    kind: ClassVar[str]
    """The kind of index, as its folder's manifest and its fingerprint name it."""
    _passages: Passages
    _settings: dict[str, Any]
    """Everything that decides which passages are found."""
    _folder: Path | None = None
    """The folder the index is read from; None if it is in memory."""

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`."""
        raise NotImplementedError(f"{cls.__name__} is not kept in folders.")

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        raise NotImplementedError(f"{type(self).__name__} does not search.")

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: the corpus, and the way it is indexed."""
        return dict(self._settings)

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings: equal where every search gives the same answer."""
        return index_fingerprint(self.kind, self.settings)

    def _at(self, folder: str | os.PathLike[str]) -> Self:
        """Itself, as what was read from `folder`."""
        self._folder = Path(folder).resolve()
        return self

    def _hits(self, ranking: PlaceScores) -> list[Hit]:
        """The passages of a ranking."""
        return [Hit(self._passages[place], score) for place, score in ranking]

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        return iter(self._passages)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._passages)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: optimizers copy programs, and an index must not be copied with them."""
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._folder is None:
            return super().__reduce_ex__(protocol)
        return _reopen, (type(self), str(self._folder), self.fingerprint)


def _reopen(kind: type[CorpusIndex], folder: str, fingerprint: str) -> CorpusIndex:
    index = kind.load(folder)
    if index.fingerprint != fingerprint:
        raise MismatchError(
            f"{folder} now holds another index than the one that was saved with the program; "
            "load the program's JSON file with the retriever you mean, or build the index again as it was."
        )
    return index


class ChangingIndex(CorpusIndex):
    """An index in a folder whose passages come and go.

    A change writes the whole index anew, and only what is dear, such as vectors, is taken over; so it equals one that
    was built of the passages that are left, in their order, and then of those that were added, in theirs. It happens
    whole or not at all. Who has the index open goes on with what was there, `latest()` gives what is there now.
    """

    manifest: ClassVar[type[BaseModel]]
    """The settings that the folder's manifest must have."""
    _ids: HashTable | None = None
    """The places of the passages by their ids, if they were looked for, or kept in the folder."""
    _state = b""
    """The `index.json` of the folder as it was when the index was opened."""

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or version, or made by another encoder.
        """
        place = Path(folder).expanduser()
        opened, state = read_latest(place, cls._open)
        opened._state = state
        return opened._at(place)

    @classmethod
    def _open(cls, home: Path) -> Self:
        described: Any = open_manifest(home, cls.kind, FORMAT, cls.manifest)
        with reading_index(home):
            passages, ids = PassageFile(home), HashTable.read(home, IDS)
            if not len(passages) == len(ids) == described.passages:
                raise damaged(home, MANIFEST)
            opened = cls.of(home, described, passages)
        opened._ids = ids
        return opened

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile) -> Self:
        """The index of these passages whose other files are in a folder, and whose settings are these."""
        raise NotImplementedError

    @classmethod
    def _built_in(cls, folder: str | os.PathLike[str], write: Callable[[Path], dict[str, Any]]) -> Self:
        """The index whose files a function writes into a folder that it is given, and whose settings it returns."""
        with writing_index(folder) as scratch:
            seal(scratch, {"kind": cls.kind, "format": FORMAT, **write(scratch)})
        return cls.load(folder)

    def _write_again(self, folder: Path, passages: Iterable[Passage]) -> dict[str, Any]:
        """Write an index of other passages, by the same settings, into a folder; returns what the manifest says."""
        raise NotImplementedError

    def latest(self) -> Self:
        """The index as its folder is now: itself if nothing has changed; else another, and this one stays as it is.

        Raises:
            InputError: There is no longer an index that can be opened, or one with other settings.

        Examples:
            >>> import tempfile
            >>> from multihop.retrieval import BM25, Passage
            >>> folder = tempfile.mkdtemp() + "/index"
            >>> retriever = BM25.build([Passage("p1", "Po", "A river.")], folder=folder)
            >>> _ = BM25.load(folder).add([Passage("p2", "Etna", "A volcano.")])
            >>> len(retriever), len(retriever.latest()), len(retriever)
            (1, 2, 1)
        """
        if self._folder is None or read_state(self._folder) == self._state:
            return self
        fresh = self.load(self._folder)
        if fresh._lasting != self._lasting:
            raise MismatchError(f"{self._folder} now holds an index with other settings; open it anew.")
        return fresh

    def add(self, passages: Iterable[Passage]) -> Self:
        """Add passages, after those that are there; returns the index with them.

        Raises:
            InputError: Something is no passage, or an id is given twice or is in the index already, or the index is in
                memory; nothing is added.

        Examples:
            >>> import tempfile
            >>> from multihop.retrieval import BM25, Passage
            >>> retriever = BM25.build([Passage("p1", "Po", "A river of Italy.")], folder=tempfile.mkdtemp())
            >>> retriever = retriever.add([Passage("p2", "Etna", "A volcano of Italy.")])
            >>> [hit.passage.id for hit in retriever.search(["volcanoes in Italy"], k=5)[0]]
            ['p2', 'p1']
        """
        return self.exchange([], passages)

    def remove(self, ids: Iterable[str]) -> Self:
        """Remove the passages with these ids; returns the index without them.

        Raises:
            InputError: One is not in the index, or none would be left, or the index is in memory;
                nothing is removed.
        """
        return self.exchange(ids, [])

    def update(self, passages: Iterable[Passage]) -> Self:
        """Put passages in the place of those with the same ids; they stand last, as if they were new.

        Raises:
            InputError: Something is no passage, or an id is given twice or is not in the index, or the index is in
                memory; nothing is changed.
        """
        listed = list(passages)
        return self.exchange([getattr(passage, "id", "") for passage in listed], listed)

    def exchange(self, ids: Iterable[str], passages: Iterable[Passage]) -> Self:
        """Remove the passages with these ids and add others, in one step; returns the index as it is then.

        Raises:
            InputError: As for `remove` and `add`; nothing is changed.
        """
        import numpy as np

        added, listed, check = list(passages), list(ids), CorpusCheck()
        check.add(added)
        check.table(added)
        if isinstance(ids, str) or not all(isinstance(id_, str) for id_ in listed):
            raise InputError(f"ids are given as a list of texts, not as {ids!r:.60}; nothing was changed.")
        out = dict.fromkeys(listed)
        if self._folder is None:
            raise InputError("an index in memory takes no changes; build it with folder=..., or anew.")
        if not (out or added):
            return self.latest()
        with writing_index(self._folder, change=True) as scratch:
            now = self.latest()
            gone = now._find(out)
            for id_ in out.keys() - gone.keys():
                raise InputError(f"the index has no passage with the id '{id_:.80}'; nothing was changed.")
            for id_ in now._find(passage.id for passage in added).keys() - out.keys():
                raise InputError(
                    f"the index has a passage with the id '{id_:.80}' already, and nothing was changed; to put another "
                    "in its place, update it."
                )
            kept: NDArray[np.int64] = np.setdiff1d(np.arange(len(now)), list(gone.values()))
            if not len(kept) + len(added):
                raise InputError("an index has one passage or more, and these are all; delete the index instead.")
            written = now._write_again(scratch, chain(map(now._passages.__getitem__, kept.tolist()), added))
            seal(scratch, {"kind": self.kind, "format": FORMAT, **written})
        return self.latest()

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids.

        Examples:
            >>> from multihop.retrieval import BM25, Passage
            >>> BM25.build([Passage("p1", "Po", "A river.")]).get(["p1", "p2"])
            {'p1': Passage(id='p1', title='Po', text='A river.')}
        """
        return {id_: self._passages[place] for id_, place in self._find(ids).items()}

    @property
    def _lasting(self) -> Any:
        """The settings that no change of the corpus touches."""
        return {name: value for name, value in self._settings.items() if name != "corpus"}

    def _find(self, ids: Iterable[str]) -> dict[str, int]:
        if self._ids is None:
            self._ids = HashTable.of(passage.id for passage in self._passages)
        return self._ids.find_passages(ids, self._passages)
