"""The layout of an index in shards: its manifest, and the place of each passage."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from ...base import InputError
from ..dense import BLOCK
from ..index_folder import CHANGED, damaged, open_manifest, read_manifest, seal, stamp
from ..living.changes_file import publish

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = "sharded"
FORMAT = 1
WORDS, MEANINGS = "words", "meanings"
"""The folders of a shard's BM25 index and of its dense index."""


class RoundRobin(NamedTuple):
    """The places of a corpus in its shards: a block goes to each shard in turn.

    Examples:
        >>> from multihop.retrieval.sharded.layout import RoundRobin
        >>> order = RoundRobin(shards=2, block=3)
        >>> [order.place(position) for position in range(8)]
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (0, 4)]
        >>> order.position(0, 4)
        7
    """

    shards: int
    """The number of shards."""
    block: int = BLOCK
    """Passages in a block: as many as an encoder is given at once, so that it makes the same vectors of them."""

    def place(self, position: int) -> tuple[int, int]:
        """The shard that holds the passage at a position of the corpus, and its place there."""
        number, offset = divmod(position, self.block)
        before, shard = divmod(number, self.shards)
        return shard, before * self.block + offset

    def position(self, shard: int, place: int) -> int:
        """The position in the corpus of a passage at a place of a shard; of two in one shard, the later is later."""
        before, offset = divmod(place, self.block)
        return (before * self.shards + shard) * self.block + offset

    def positions(self, shard: int, places: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """The positions of several."""
        return (places // self.block * self.shards + shard) * self.block + places % self.block


class ShardEntry(TypedDict):
    """A shard as the manifest records it."""

    passages: int
    """The number of passages in it."""
    fingerprints: dict[str, str]
    """The fingerprints of its indexes, by their folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedManifest:
    """The index.json of an index in shards."""

    retriever: str
    """The kind of index it takes the place of: "bm25", "dense" or "hybrid"."""
    passages: int
    """The number of passages."""
    block: int
    """Passages in a block."""
    shards: list[ShardEntry]
    """The shards, in the order in which blocks were dealt to them."""
    words: dict[str, Any] | None = None
    """Everything that decides the ranking by words, as in an index on one machine."""
    meanings: dict[str, Any] | None = None
    """The same of the ranking by vectors."""
    encoder: dict[str, Any] = field(default_factory=dict)
    """The place from which the encoder is opened again."""
    rerank: int = 0
    """The number of a hybrid index's hits that the encoder reads again."""
    changes: dict[str, Any] | None = None
    """The changes since it was built, see `ShardedChanges`; None if there are none."""

    @property
    def order(self) -> RoundRobin:
        """The places of the corpus in the shards."""
        return RoundRobin(len(self.shards), self.block)

    @property
    def lasting(self) -> dict[str, Any]:
        """All that no change of the corpus touches."""
        kept = {name: value for name, value in asdict(self).items() if name not in ("passages", "shards", "changes")}
        described = {
            part: built and {name: value for name, value in built.items() if name != "corpus"}
            for part, built in ((WORDS, self.words), (MEANINGS, self.meanings))
        }
        return {**kept, **described}

    def write(self, folder: Path) -> None:
        """Write it to a folder: the last that is written there."""
        seal(folder, {"kind": KIND, "format": FORMAT, **asdict(self)})

    def publish(self, folder: Path, files: Iterable[str]) -> None:
        """Replace the manifest of an index that has changed, which names these files beside its shards."""
        stamps = {name: stamp(folder / name) for name in files}
        publish(folder, {"kind": KIND, "format": FORMAT + CHANGED, **asdict(self), "files": stamps})

    @classmethod
    def read(cls, folder: Path) -> "ShardedManifest":
        """The manifest in a folder.

        Raises:
            InputError: There is none, or it is of another kind or version.
            DamagedFileError: It is not as it was written.
        """
        before = read_manifest(folder)
        try:
            content = open_manifest(folder, KIND, FORMAT)
        except InputError:
            if read_manifest(folder) == before:
                raise
            return cls.read(folder)  # it was changed while it was read
        try:
            manifest = cls(**{name: content[name] for name in cls.__slots__ if name != "changes" or name in content})
            built = sum(entry["passages"] for entry in manifest.shards)
            whole = manifest.passages > 0 < manifest.block and (built == manifest.passages or bool(manifest.changes))
        except (LookupError, TypeError):
            whole = False
        if not whole:
            raise damaged(folder, "index.json")
        return manifest


def shard_name(number: int) -> str:
    """The folder of a shard, in that of the index: "shard-0003"."""
    return f"shard-{number:04}"
