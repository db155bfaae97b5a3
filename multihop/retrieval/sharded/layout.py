"""The layout of an index in shards: the place of each passage, and the manifest."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from ..dense import BLOCK
from ..index_folder import damaged, open_manifest, seal

KIND = "sharded"
FORMAT = 1
WORDS, MEANINGS = "words", "meanings"


class Deal(NamedTuple):
    """The deal of a corpus to its shards: a block to each shard in turn.

    Examples:
        >>> from multihop.retrieval.sharded.layout import Deal
        >>> deal = Deal(shards=2, block=3)
        >>> [deal.place(position) for position in range(8)]
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (0, 4)]
        >>> deal.position(0, 4)
        7
    """

    shards: int
    """The number of shards."""
    block: int = BLOCK
    """Passages dealt at once: as many as an encoder is given at once, so that it says the same of them."""

    def place(self, position: int) -> tuple[int, int]:
        """The shard that holds the passage at a position of the corpus, and where it is there."""
        number, offset = divmod(position, self.block)
        before, shard = divmod(number, self.shards)
        return shard, before * self.block + offset

    def position(self, shard: int, place: int) -> int:
        """The position in the corpus of a passage at a place of a shard; of two in one shard, the later is later."""
        before, offset = divmod(place, self.block)
        return (before * self.shards + shard) * self.block + offset


class ShardEntry(TypedDict):
    """A shard as the manifest records it."""

    passages: int
    """The number of passages in it."""
    fingerprints: dict[str, str]
    """The fingerprints of its index of words and of its index of meanings, as far as it has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedManifest:
    """The index.json of an index in shards."""

    retriever: str
    """The kind of index it takes the place of: "bm25", "dense" or "hybrid"."""
    passages: int
    """The number of passages."""
    block: int
    """Passages dealt at once."""
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

    @property
    def deal(self) -> Deal:
        """The deal of the corpus to the shards."""
        return Deal(len(self.shards), self.block)

    def write(self, folder: Path) -> None:
        """Write it to a folder: the last that is written there."""
        seal(folder, {"kind": KIND, "format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, folder: Path) -> "ShardedManifest":
        """The manifest in a folder.

        Raises:
            InputError: There is none, or it is of another kind or version.
            DamagedFileError: It is not as it was written.
        """
        said = open_manifest(folder, KIND, FORMAT)
        try:
            manifest = cls(**{name: said[name] for name in cls.__slots__})
            whole = sum(entry["passages"] for entry in manifest.shards) == manifest.passages > 0 < manifest.block
        except (LookupError, TypeError):
            whole = False
        if not whole:
            raise damaged(folder, "index.json")
        return manifest


def shard_name(number: int) -> str:
    """The folder of a shard, in that of the index.

    Examples:
        >>> from multihop.retrieval.sharded.layout import shard_name
        >>> shard_name(3)
        'shard-0003'
    """
    return f"shard-{number:04}"
