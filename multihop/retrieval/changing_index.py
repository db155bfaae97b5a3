"""The base class of indexes whose corpus changes: the index is written anew, beside the old one."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import InputError, MismatchError
from .corpus import CorpusCheck, IdTable, PassageFile, open_passages
from .corpus_index import CorpusIndex
from .index_folder import (
    FORMAT,
    MEMORY,
    find_home,
    only_writer,
    open_manifest,
    read_latest,
    read_state,
    reading_index,
    writing_anew,
)
from .passage import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ChangingIndex(CorpusIndex):
    """An index in a folder whose passages come and go.

    A change writes the whole index anew, and only what is dear, such as vectors, is taken over; so it equals one that
    was built of the passages that are left, in their order, and then of those that were added, in theirs. It happens
    whole or not at all. Who has the index open goes on with what was there, `latest()` gives what is there now.
    """

    _ids: IdTable | None = None
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
        opened, state = read_latest(place, lambda home: cls._open(home, open_manifest(home, cls.kind, FORMAT)))
        opened._state = state
        return opened._at(place)

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
            InputError: One is not in the index, or given twice, or none would be left, or the index is in memory;
                nothing is removed.

        Examples:
            >>> import tempfile
            >>> from multihop.retrieval import BM25, Passage
            >>> rivers = [Passage("p1", "Po", "A river."), Passage("p2", "Inn", "A river.")]
            >>> retriever = BM25.build(rivers, folder=tempfile.mkdtemp()).remove(["p1"])
            >>> [hit.passage.id for hit in retriever.search(["rivers"], k=5)[0]]
            ['p2']
        """
        return self.exchange(ids, [])

    def update(self, passages: Iterable[Passage]) -> Self:
        """Put passages in the place of those with the same ids; they stand last, as if they were new.

        Raises:
            InputError: Something is no passage, or an id is given twice or is not in the index, or the index is in
                memory; nothing is changed.

        Examples:
            >>> import tempfile
            >>> from multihop.retrieval import BM25, Passage
            >>> retriever = BM25.build([Passage("p1", "Po", "A river.")], folder=tempfile.mkdtemp())
            >>> retriever = retriever.update([Passage("p1", "Po", "It flows through Italy.")])
            >>> retriever.search(["Italy"], k=1)[0][0].passage.text
            'It flows through Italy.'
        """
        listed = _check_passages(passages)
        return self.exchange([passage.id for passage in listed], listed)

    def exchange(self, ids: Iterable[str], passages: Iterable[Passage], *, memory: str | None = None) -> Self:
        """Remove the passages with these ids and add others, in one step; returns the index as it is then.

        Args:
            ids: The ids of the passages to remove.
            passages: The passages to add.
            memory: What is remembered of the documents that the index was made of, if that changes with it.

        Raises:
            InputError: As for `remove` and `add`; nothing is changed.
        """
        import numpy as np

        out, added = _check_ids(ids), _check_passages(passages)
        folder = self._folder
        if folder is None:
            raise InputError("an index in memory takes no changes; build it with folder=..., or anew.")
        with only_writer(folder):
            now = self.latest()
            gone = now._find_all(out)
            now._check_new(added, out)
            if not len(now) + len(added) - len(gone):
                raise InputError("an index has one passage or more, and these are all; delete the index instead.")
            if not (gone or added):
                return now
            kept = np.setdiff1d(np.arange(len(now)), gone)
            before = find_home(folder) / MEMORY
            with writing_anew(folder) as scratch:
                now._rewrite(scratch, kept, added)
                if memory is not None:
                    (scratch / MEMORY).write_text(memory, "utf-8")
                elif before.is_file():
                    shutil.copyfile(before, scratch / MEMORY)
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

    @classmethod
    def _open(cls, home: Path, manifest: dict[str, Any]) -> Self:
        """The index whose files are in a folder, with this manifest."""
        with reading_index(home):
            return cls.of(home, manifest, *open_passages(home, manifest["passages"]))

    @classmethod
    def of(cls, home: Path, described: Mapping[str, Any], passages: PassageFile, ids: IdTable) -> Self:
        """The index of these passages whose other files are in a folder, and whose settings are these."""
        raise NotImplementedError

    def _rewrite(self, scratch: Path, kept: "NDArray[np.int64]", added: Sequence[Passage]) -> None:
        """Write an index of the passages at some places, and of new ones after them, into an empty folder."""
        raise NotImplementedError

    def _find(self, ids: Sequence[str]) -> dict[str, int]:
        if self._ids is None:
            self._ids = IdTable.of(self._passages)
        return self._ids.find(ids, self._passages)

    def _find_all(self, ids: Sequence[str]) -> list[int]:
        """The places of all the ids."""
        found, named = self._find(ids), set[str]()
        for id_ in ids:
            if id_ not in found:
                raise InputError(f"the index has no passage with the id '{id_:.80}'; nothing was changed.")
            if id_ in named:
                raise InputError(f"passage id '{id_:.80}' is given twice; nothing was changed.")
            named.add(id_)
        return list(found.values())

    def _check_new(self, passages: Sequence[Passage], gone: Sequence[str]) -> None:
        """Refuse ids that are in the index and are not removed."""
        for id_ in self._find([passage.id for passage in passages]).keys() - set(gone):
            raise InputError(
                f"the index has a passage with the id '{id_:.80}' already, and nothing was changed; to put another in "
                "its place, update it."
            )


def _check_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list."""
    if isinstance(ids, str):
        raise InputError(f"ids are given as a list, not as one text; write [{ids!r:.60}].")
    wanted = list(ids)
    for id_ in wanted:
        if not isinstance(id_, str):
            raise InputError(f"{id_!r:.80} is no id, which is a text; nothing was changed.")
    return wanted


def _check_passages(passages: Iterable[Passage]) -> list[Passage]:
    """The passages as a list, each of which is one, with an id of its own."""
    listed = list(passages)
    check = CorpusCheck()
    check.add(listed)
    check.refuse_duplicates(listed)
    return listed
