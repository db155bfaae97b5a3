"""The check of a corpus as it streams by: its passages, its ids, and its identity."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ..base import InputError
from .id_table import IdTable, hash_ids
from .passage import Passage, Passages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CorpusCheck:
    """Refuses what is not a passage, fingerprints the rest, and finds ids that are given twice.

    Eight bytes are remembered of each id, so millions of passages can be checked.
    """

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.seen = 0
        self._digest = hashlib.blake2b(digest_size=16)
        self._ids: list[NDArray[np.int64]] = []

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that identify every id, title and text so far, and their order."""
        return self._digest.hexdigest()

    def blocks(self, passages: Iterable[Passage], size: int) -> Iterator[list[Passage]]:
        """The passages, checked, block by block; InputError if there are none."""
        stream = iter(passages)
        while block := list(islice(stream, size)):
            self.add(block)
            yield block
        if not self.seen:
            raise InputError("the corpus is empty; an index needs at least one passage.")

    def add(self, passages: Sequence[Passage]) -> None:
        """Look at the next passages."""
        ids = []
        for number, passage in enumerate(passages, self.seen + 1):
            if not (isinstance(passage, Passage) and all(isinstance(field, str) for field in passage)):
                raise InputError(f"passage {number} is {passage!r:.80}, not a Passage with an id, a title and a text.")
            id_, title, text = passage
            ids.append(id_)
            # The lengths keep "ab" + "c" apart from "a" + "bc".
            entry = f"{len(id_)} {len(title)} {len(text)} {id_}{title}{text}"
            self._digest.update(entry.encode("utf-8", "surrogatepass"))
        self._ids.append(hash_ids(ids))
        self.seen += len(ids)

    def id_table(self) -> IdTable:
        """The place of each passage by its id."""
        import numpy as np

        return IdTable.of_hashes(np.concatenate(self._ids))

    def refuse_duplicates(self, passages: Passages) -> None:
        """Raise InputError if two of the passages, all of which have been seen, share their id."""
        import numpy as np

        hashes = np.concatenate(self._ids)
        order = np.argsort(hashes, kind="stable")
        again = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
        # Different ids may share a hash, so the ids themselves decide.
        first: dict[str, int] = {}
        for position in sorted({*order[again].tolist(), *order[again + 1].tolist()}):
            id_ = passages[position].id
            if id_ in first:
                places = f"{first[id_] + 1} and {position + 1}"
                raise InputError(f"passage id '{id_}' is given twice, as passages {places}; ids must be unique.")
            first[id_] = position
