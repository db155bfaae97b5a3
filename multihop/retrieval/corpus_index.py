"""The base class of indexes: they search, give their passages back, are pickled, and are never copied."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from ..base import MismatchError
from .index_folder import index_fingerprint
from .passage import Hit, Passage, Passages
from .words.ranking import PlaceScores


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
