"""The place of every passage by its id, in two arrays that a folder keeps."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.files import read_array
from .passage import Passage, Passages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HASHES, PLACES = "ids.hashes.npy", "ids.places.npy"


class IdTable:
    """Finds passages by their ids: of each a hash is kept, twelve bytes in all, and the passage itself decides.

    Examples:
        >>> from multihop.retrieval import Passage
        >>> from multihop.retrieval.id_table import IdTable
        >>> rivers = [Passage("p1", "Po", "A river."), Passage("p2", "Inn", "Another.")]
        >>> IdTable.of(rivers).find(["p2", "p3"], rivers)
        {'p2': 1}
    """

    def __init__(self, hashes: "NDArray[np.int64]", places: "NDArray[np.int32]") -> None:
        """The hashes in ascending order, and the place of each."""
        self._hashes, self._places = hashes, places

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> "IdTable":
        """The table of some passages."""
        return cls.of_hashes(hash_ids([passage.id for passage in passages]))

    @classmethod
    def of_hashes(cls, hashes: "NDArray[np.int64]") -> "IdTable":
        """The table of passages whose ids have these hashes, in the order of the passages."""
        import numpy as np

        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], order.astype(np.int32))

    @classmethod
    def read(cls, folder: Path) -> "IdTable | None":
        """The table in a folder, left on disk; None if there is none."""
        if not (folder / HASHES).is_file():
            return None
        files = (folder / name for name in (HASHES, PLACES))
        return cls(*map(read_array, files))

    def write(self, folder: Path) -> None:
        """Write the table to two files in `folder`."""
        import numpy as np

        np.save(folder / HASHES, self._hashes, allow_pickle=False)
        np.save(folder / PLACES, self._places, allow_pickle=False)

    def find(self, ids: Sequence[str], passages: Passages) -> dict[str, int]:
        """The places of those of the ids that the passages have."""
        hashes = hash_ids(ids)
        firsts = self._hashes.searchsorted(hashes, "left").tolist()
        ends = self._hashes.searchsorted(hashes, "right").tolist()
        found = {}
        for id_, first, end in zip(ids, firsts, ends, strict=True):
            for place in self._places[first:end].tolist():
                if passages[place].id == id_:
                    found[id_] = place
        return found

    def __len__(self) -> int:
        return len(self._places)


def hash_ids(ids: Sequence[str]) -> "NDArray[np.int64]":
    """A number for each id, the same in every process."""
    import numpy as np

    digests = b"".join(blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=8).digest() for id_ in ids)
    return np.frombuffer(digests, np.dtype("<i8")).astype(np.int64)
