"""The changes of an index in shards: the parts of each shard, and the positions of what was added."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base import writing
from ...base.array_file import read_array, undisturbed
from ..index_folder import MANIFEST, damaged
from ..living.changes_file import Changes
from ..living.corpus import LivingCorpus
from ..words.statistics import Statistics
from .layout import RoundRobin, ShardedManifest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ADDED, _FIRST = "added-", "first-"


class ShardedChanges(NamedTuple):
    """The changes of an index in shards."""

    shards: tuple[dict[str, Changes], ...]
    """The changes of each shard's indexes, by their folders."""
    number: int
    """The number of changes so far; new files have it in their names."""
    following: int
    """The position of the next passage that is added."""
    dealt: bool = True
    """True if the first parts of all shards are as they were dealt; else a file of each has its positions."""
    first: int = 0
    """The change that made these files."""
    statistics: Statistics | None = None
    """The statistics of the words of the whole corpus, by which they are weighed now; None if the scores are stored."""

    @classmethod
    def of(cls, manifest: ShardedManifest, home: Path) -> "ShardedChanges":
        """The changes that the manifest of an index describes.

        Raises:
            DamagedFileError: It is no such description.
        """
        found, parts = manifest.changes, [tuple(entry["fingerprints"]) for entry in manifest.shards]
        if found is None:
            return cls(tuple({part: Changes() for part in each} for each in parts), 0, manifest.passages)
        try:
            shards = tuple(
                {part: Changes.of(described[part], home) for part in each}
                for each, described in zip(parts, found["shards"], strict=True)
            )
            counts = found["statistics"]
            statistics = None if counts is None else Statistics(*map(int, counts))
            numbers = (int(found["number"]), int(found["following"]), bool(found["dealt"]), int(found["first"]))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise damaged(home, MANIFEST) from error
        return cls(shards, *numbers, statistics)

    def described(self) -> dict[str, Any]:
        """What a manifest has of them."""
        shards = [{part: changes._asdict() for part, changes in each.items()} for each in self.shards]
        statistics = None if self.statistics is None else list(self.statistics)
        return {**self._asdict(), "shards": shards, "statistics": statistics}

    @property
    def added_file(self) -> str:
        """The file with the positions of all that was added."""
        return f"{_ADDED}{self.number:06}.npz"

    def first_file(self, shard: int) -> str:
        """The file with the positions of a shard's first part."""
        return f"{_FIRST}{self.first:06}-{shard:04}.npy"

    @property
    def files(self) -> list[str]:
        """All of these files."""
        return [self.added_file] + ([] if self.dealt else [self.first_file(n) for n in range(len(self.shards))])


class Positions:
    """The positions in the whole corpus of the passages of a shard, by their places there."""

    def __init__(
        self,
        corpus: LivingCorpus,
        dealt: tuple[RoundRobin, int] | None,
        first: "NDArray[np.int64] | None",
        added: "NDArray[np.int64]",
    ) -> None:
        """The positions.

        Args:
            corpus: The shard's passages.
            dealt: The order in which passages were dealt, and the shard's number, for those of the first part.
            first: Their positions, where they are as no order has them.
            added: The positions of those that are left of the other parts.
        """
        import numpy as np

        self.first, self.added = first, added
        self._dealt, self._size = dealt, len(corpus.parts[0].passages)
        gone, start = [np.zeros(0, np.int64)], 0
        for part in corpus.parts[1:]:
            gone.append(part.gone.places.astype(np.int64) + start)
            start += len(part.passages)
        self._gone = np.concatenate(gone)
        self._gone_first = corpus.parts[0].gone.places

    def __getitem__(self, place: int) -> int:
        if place >= self._size:
            return int(self.added[self._among_left(place)])
        if self.first is not None:
            return int(self.first[place])
        assert self._dealt is not None
        order, shard = self._dealt
        return order.position(shard, place)

    def of_left(self) -> "NDArray[np.int64]":
        """The positions of all passages that were not removed, in ascending order."""
        import numpy as np

        left = self._left_of_first
        if self.first is not None:
            return np.concatenate([self.first[left], self.added])
        assert self._dealt is not None
        order, shard = self._dealt
        return np.concatenate([order.positions(shard, left), self.added])

    def place(self, position: int) -> int | None:
        """The place of the passage at a position of the corpus; None if it is not in this shard, or was removed."""
        import numpy as np

        positions = self.of_left()
        number = int(positions.searchsorted(position))
        if number == len(positions) or positions[number] != position:
            return None
        first = self._left_of_first
        if number < len(first):
            return int(first[number])
        among = np.setdiff1d(np.arange(len(self.added) + len(self._gone)), self._gone, assume_unique=True)
        return self._size + int(among[number - len(first)])

    @property
    def _left_of_first(self) -> "NDArray[np.int64]":
        import numpy as np

        return np.setdiff1d(np.arange(self._size), self._gone_first, assume_unique=True)

    def without(self, places: Sequence[int]) -> "NDArray[np.int64]":
        """The positions of what is left of the added passages once those at these places of the shard are removed."""
        import numpy as np

        return np.delete(self.added, [self._among_left(place) for place in places if place >= self._size])

    def _among_left(self, place: int) -> int:
        place -= self._size
        return place - int(self._gone.searchsorted(place))


def read_positions(
    home: Path, manifest: ShardedManifest, changes: ShardedChanges, shard: int, corpus: LivingCorpus
) -> Positions:
    """The positions of a shard's passages."""
    import numpy as np

    if manifest.changes is None:
        return Positions(corpus, (manifest.order, shard), None, np.zeros(0, np.int64))
    try:
        added = undisturbed(partial(_read_added, home / changes.added_file, shard))
        first = None if changes.dealt else read_array(home / changes.first_file(shard))
        fit = len(added) == sum(part.left for part in corpus.parts[1:])
        fit = fit and (first is None or len(first) == len(corpus.parts[0].passages))
    except Exception as error:  # numpy and its archives fail in many ways
        raise damaged(home, changes.added_file) from error
    if not fit:
        raise damaged(home, changes.added_file)
    return Positions(corpus, (manifest.order, shard), first, added)


def _read_added(file: Path, shard: int) -> "NDArray[np.int64]":
    import numpy as np

    with np.load(file, allow_pickle=False) as arrays:
        added: NDArray[np.int64] = arrays[str(shard)]
    return added


def write_added(home: Path, changes: ShardedChanges, added: "Sequence[NDArray[np.int64]]") -> None:
    """Write the positions of what was added to each shard."""
    import numpy as np

    with writing(home / changes.added_file, "wb") as file:
        named: dict[str, Any] = {str(number): each for number, each in enumerate(added)}
        np.savez(file, **named)


def write_first(home: Path, changes: ShardedChanges, first: "Sequence[NDArray[np.int64]]") -> None:
    """Write the positions of the first part of each shard."""
    import numpy as np

    for number, each in enumerate(first):
        with writing(home / changes.first_file(number), "wb") as file:
            np.save(file, each, allow_pickle=False)


def sweep_positions(home: Path, changes: ShardedChanges) -> None:
    """Delete files of positions that no longer count."""
    for path in home.iterdir():
        if path.name.lstrip(".").startswith((_ADDED, _FIRST)) and path.name not in changes.files:
            path.unlink(missing_ok=True)
