"""The passages of an index: checked as they stream by, written once, read one at a time, found by their ids."""

import hashlib
import mmap
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import ujson

from ..base import DamagedFileError, InputError
from .index_folder import damaged, read_column
from .passage import Passage, Passages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LINES, OFFSETS, IDS = "passages.jsonl", "passages.offsets", "ids"
BLOCK = 4096
"""Passages that are in memory at once while they are written."""


class PassageFile:
    """The passages of an index folder, by position.

    The operating system keeps in memory the pages that are read and drops them when memory is short, so that opening
    five million passages takes neither time nor memory.
    """

    def __init__(self, folder: Path) -> None:
        """The passages that `write_passages` left in `folder`."""
        self._path = folder / LINES
        self._offsets = read_column(folder, OFFSETS, "<i8")
        with self._path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if not len(self._offsets) or self._offsets[-1] != len(self._bytes):
            raise damaged(folder, OFFSETS)
        # Questions about one thing find the same passages again and again.
        self._recent = lru_cache(maxsize=1 << 14)(self._read)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> Passage:
        return self._recent(position)

    def _read(self, position: int) -> Passage:
        try:
            start, end = self._offsets[position : position + 2].tolist()
            entry = ujson.loads(self._bytes[start:end])
            passage = Passage(entry["id"], entry["title"], entry["text"])
            "".join(passage)  # all three are texts
        except (ValueError, KeyError, TypeError) as error:
            message = f"{self._path}, line {position + 1}: damaged; rebuild the index with `multihop index`."
            raise DamagedFileError(message) from error
        return passage

    def __iter__(self) -> Iterator[Passage]:
        return map(self._read, range(len(self)))


class HashTable:
    """Finds the places of texts, such as ids, by hashes of them: twelve bytes each, in memory or left on disk."""

    def __init__(self, hashes: "NDArray[np.int64]", places: "NDArray[np.int32]") -> None:
        """The hashes in ascending order, and the place of each."""
        self.hashes, self.places = hashes, places

    @classmethod
    def of(cls, texts: Iterable[str]) -> "HashTable":
        """The table of some texts."""
        return cls.of_hashes(hash_texts(texts))

    @classmethod
    def of_hashes(cls, hashes: "NDArray[np.int64]") -> "HashTable":
        """The table of texts with these hashes, in the order of the texts."""
        import numpy as np

        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], order.astype(np.int32))

    @classmethod
    def read(cls, folder: Path, name: str) -> "HashTable":
        """The table in two files of a folder, left on disk."""
        table = cls(read_column(folder, f"{name}.hashes", "<i8"), read_column(folder, f"{name}.places", "<i4"))
        if len(table.hashes) != len(table):
            raise damaged(folder, f"{name}.hashes")
        return table

    def write(self, folder: Path, name: str) -> None:
        """Write the table to two files in `folder`."""
        self.hashes.tofile(folder / f"{name}.hashes")
        self.places.tofile(folder / f"{name}.places")

    def find(self, text: str) -> list[int]:
        """The places of all texts with the hash of this one: of itself and, all but never, of others."""
        (wanted,) = hash_texts([text])
        first = int(self.hashes.searchsorted(wanted))
        after = first + 1
        if first == len(self) or self.hashes[first] != wanted:
            return []
        while after < len(self) and self.hashes[after] == wanted:
            after += 1
        places: list[int] = self.places[first:after].tolist()
        return places

    def find_passages(self, ids: Iterable[str], passages: Passages) -> dict[str, int]:
        """The places of those of the ids that the passages have."""
        return {id_: place for id_ in ids for place in self.find(id_) if passages[place].id == id_}

    def __len__(self) -> int:
        return len(self.places)


def hash_texts(texts: Iterable[str]) -> "NDArray[np.int64]":
    """A number for each text, the same in every process."""
    import numpy as np

    digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<i8")


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
        for number, passage in enumerate(passages, self.seen + 1):
            if not (isinstance(passage, Passage) and all(isinstance(field, str) for field in passage)):
                raise InputError(f"passage {number} is {passage!r:.80}, not a Passage with an id, a title and a text.")
            id_, title, text = passage
            # The lengths keep "ab" + "c" apart from "a" + "bc".
            entry = f"{len(id_)} {len(title)} {len(text)} {id_}{title}{text}"
            self._digest.update(entry.encode("utf-8", "surrogatepass"))
        self._ids.append(hash_texts(passage.id for passage in passages))
        self.seen += len(passages)

    def table(self, passages: Passages) -> HashTable:
        """The places of the passages, all of which have been seen, by their ids; InputError if two share their id."""
        import numpy as np

        table = HashTable.of_hashes(np.concatenate(self._ids or [np.empty(0, np.int64)]))
        again = np.flatnonzero(table.hashes[1:] == table.hashes[:-1])
        # Different ids may share a hash, so the ids themselves decide.
        first: dict[str, int] = {}
        for position in sorted({*table.places[again].tolist(), *table.places[again + 1].tolist()}):
            id_ = passages[position].id
            if id_ in first:
                places = f"{first[id_] + 1} and {position + 1}"
                raise InputError(f"passage id '{id_}' is given twice, as passages {places}; ids must be unique.")
            first[id_] = position
        return table


def write_passages(
    folder: Path, passages: Iterable[Passage], look: Callable[[list[Passage]], None] | None = None
) -> dict[str, int | str]:
    """Write a corpus into a folder as it streams by; returns what the manifest says of it.

    Args:
        folder: The folder, where `PassageFile` finds the passages, and `HashTable` their places by their ids.
        passages: The corpus; it is read once.
        look: Called with each block of passages.

    Raises:
        InputError: There are no passages, something is none, or two have one id.
    """
    corpus, ends = CorpusCheck(), array("q", [0])
    with (folder / LINES).open("wb") as file:
        for block in corpus.blocks(passages, BLOCK):
            for passage in block:
                line = ujson.dumps(passage._asdict(), ensure_ascii=False, escape_forward_slashes=False) + "\n"
                # Half a surrogate pair is not UTF-8, yet JSON files contain such text, and it must come back unchanged.
                ends.append(ends[-1] + file.write(line.encode("utf-8", "surrogatepass")))
            if look is not None:
                look(block)
    (folder / OFFSETS).write_bytes(ends.tobytes())
    corpus.table(PassageFile(folder)).write(folder, IDS)
    return {"passages": corpus.seen, "corpus": corpus.fingerprint}
