"""The base class of indexes whose corpus changes: passages are added, removed and replaced, and nothing is rebuilt."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Self

from ..base import InputError, MismatchError
from .changeable import Changeable
from .corpus_index import CorpusIndex
from .index_folder import open_manifest, read_manifest
from .living.background import Background
from .living.changes_file import only_compactor, only_writer
from .passage import Passage


class Turn:
    """A lock that is not pickled with what it guards."""

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> Any:
        return Turn, ()


class ChangingIndex(Changeable, CorpusIndex):
    """An index whose corpus changes: `add`, `remove` and `update` leave the ranking that building anew would give.

    An index built anew has the passages that are left in their order, and then those that were added, in theirs.
    Searches go on meanwhile, each over the passages that were there when it began. What is in a folder changes there
    too, in one step: a change that is cut short was not made. Once much has changed, all becomes one part again while
    others go on; the index finds the same before, meanwhile and after.
    """

    format: ClassVar[int]
    """The number of the format of its folder."""
    _turn: Turn
    _compacting: Turn
    _background: Background

    def _begin(self) -> None:
        """Be ready for changes."""
        self._turn, self._compacting, self._background = Turn(), Turn(), Background()

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or version, or made by another encoder.
        """
        home = Path(folder).expanduser()
        if (home / "adapted").is_dir():
            raise MismatchError(
                f"{home} has learned its corpus with `adapt`, which is gone; build it again with `multihop index`, or "
                "delete its folder adapted."
            )
        while True:
            before = read_manifest(home)
            try:
                manifest = open_manifest(home, cls.kind, cls.format)
                return cls._opened(home, manifest)
            except InputError:
                if read_manifest(home) == before:  # else it was changed while it was read, and is read again
                    raise

    @classmethod
    def _opened(cls, folder: Path, manifest: dict[str, Any]) -> Self:
        """The index in a folder with this manifest."""
        raise NotImplementedError

    def count(self) -> int:
        """The number of passages."""
        return len(self)

    def compact(self) -> None:
        """Make one part of all; searches find the same, and as fast as in an index built anew.

        Others may search and change the index meanwhile; what they add stays beside until the next time.
        """
        self._compact(wait=True)

    def wait(self) -> None:
        """Wait until all that has changed is one part again, if that is under way in this process."""
        self._background.wait()

    def reload(self) -> bool:
        """Take over what others have changed in the folder; returns True if they had."""
        with self._turn:
            return self._refresh()

    def latest(self) -> Self:
        """The index as its folder is now: itself if nothing has changed; else another, and this one stays as it is.

        Examples:
            >>> import tempfile
            >>> from multihop.retrieval import BM25, Passage
            >>> folder = tempfile.mkdtemp() + "/index"
            >>> retriever = BM25.build([Passage("p1", "Po", "A river.")], folder=folder)
            >>> BM25.load(folder).add([Passage("p2", "Etna", "A volcano.")])
            >>> len(retriever), len(retriever.latest()), len(retriever)
            (1, 2, 1)
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin if twin.reload() else self

    def _change(self, ids: Iterable[str], added: list[Passage]) -> None:
        """Remove and add in one step."""
        with self._writing():
            self._change_once(ids, added)
        if self._is_loose:
            self._background.start(self._compact_quietly)

    def _compact_quietly(self) -> None:
        with suppress(
            InputError, OSError
        ):  # the disk is full, or the index is another now: the next change tries again
            self._compact(wait=False)

    def _compact(self, *, wait: bool) -> None:
        """Make one part of all; where somebody else does, wait for that or leave it to them."""
        with self._compacting:
            if self._folder is None:
                self._make_whole()
                return
            with only_compactor(self._folder, wait=wait) as ours:
                if ours:
                    self._make_whole()
            with self._writing(wait=True):  # until here the large part of before could be somebody's work
                pass

    def _make_whole(self) -> None:
        with self._writing(wait=True):
            before = self._settle()
        if before is not None:
            made = self._made_whole(before)
            with self._writing(wait=True):
                self._take_whole(before, made)

    def _change_once(self, ids: Iterable[str], added: list[Passage]) -> None:
        """Remove and add, while nobody else changes the index."""
        raise NotImplementedError

    @property
    def _is_loose(self) -> bool:
        """True if so much has changed that all should become one part."""
        raise NotImplementedError

    def _settle(self) -> Any:
        """The state whose parts become one, which stay as they are until then; None if there is one part."""
        raise NotImplementedError

    def _made_whole(self, before: Any) -> Any:
        """One part of those of a state; the index may change meanwhile."""
        raise NotImplementedError

    def _take_whole(self, before: Any, made: Any) -> None:
        """Put one part in the place of those that it was made of, without what was removed meanwhile."""
        raise NotImplementedError

    def _refresh(self) -> bool:
        """Be in the state that the folder is in; True if that is another."""
        raise NotImplementedError

    def _sweep(self) -> None:
        """Delete what no longer counts in the folder."""
        raise NotImplementedError

    @contextmanager
    def _writing(self, *, wait: bool = False) -> Iterator[None]:
        """In the block the state is the newest, and nobody else changes it; then what no longer counts is deleted."""
        with self._turn:
            if self._folder is None:
                yield
                return
            with only_writer(self._folder, wait=wait):
                self._refresh()
                try:
                    yield
                finally:
                    self._sweep()
