"""The passages of an index: checked as they stream by, written once, read one at a time, found by their ids."""

import hashlib
import mmap
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import ujson

from ..base import DamagedFileError, InputError
from ..base.files import read_array
from .index_folder import MANIFEST, damaged
from .passage import Passage, Passages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LINES = "passages.jsonl"
OFFSETS = "passages.offsets.npy"
HASHES, PLACES = "ids.hashes.npy", "ids.places.npy"


class PassageFile:
    """The passages of an index folder, by position.

    The operating system keeps in memory the pages that are read and drops them when memory is short, so that opening
    five million passages takes neither time nor memory.
    """

    def __init__(self, folder: Path) -> None:
        """The passages that a `PassageWriter` left in `folder`."""
        import numpy as np

        self._path = folder / LINES
        self._offsets = read_array(folder / OFFSETS)
        with self._path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if (
            self._offsets.dtype != np.int64
            or self._offsets.ndim != 1
            or not len(self._offsets)
            or self._offsets[-1] != len(self._bytes)
        ):
            raise damaged(folder, OFFSETS)
        # Questions about one thing find the same passages again and again.
        self._recent = lru_cache(maxsize=1 << 14)(self._read)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> Passage:
        return self._recent(position)

    def _read(self, position: int) -> Passage:
        start, end = self._offsets[position : position + 2].tolist()
        try:
            entry = ujson.loads(self._bytes[start:end])
            return Passage(entry["id"], entry["title"], entry["text"])
        except (ValueError, KeyError, TypeError) as error:
            message = f"{self._path}, line {position + 1}: damaged; rebuild the index with `multihop index`."
            raise DamagedFileError(message) from error

    def __iter__(self) -> Iterator[Passage]:
        return map(self._read, range(len(self)))


def open_passages(folder: Path, passages: int) -> "tuple[PassageFile, IdTable]":
    """The passages of an index folder, so many, and their places by their ids.

    Raises:
        DamagedFileError: They are not as they were written.
    """
    stored, ids = PassageFile(folder), IdTable.read(folder)
    if not len(stored) == len(ids) == passages:
        raise damaged(folder, MANIFEST)
    return stored, ids


class PassageWriter:
    """Writes passages as they come; `PassageFile` reads them back once the block has ended."""

    def __init__(self, folder: Path) -> None:
        """Two new files in `folder`."""
        self._folder = folder
        self._ends = array("q", [0])
        self._file: IO[bytes] = (folder / LINES).open("wb")

    def __enter__(self) -> "PassageWriter":
        return self

    def __exit__(self, *_: object) -> None:
        import numpy as np

        self._file.close()
        np.save(self._folder / OFFSETS, np.frombuffer(self._ends, np.int64), allow_pickle=False)

    def extend(self, passages: Iterable[Passage]) -> None:
        """Append passages."""
        end = self._ends[-1]
        for id_, title, text in passages:
            entry = {"id": id_, "title": title, "text": text}
            line = ujson.dumps(entry, ensure_ascii=False, escape_forward_slashes=False) + "\n"
            # Half a surrogate pair is not UTF-8, yet JSON files do contain such text, and it must come back unchanged.
            end += self._file.write(line.encode("utf-8", "surrogatepass"))
            self._ends.append(end)


class IdTable:
    """Finds passages by their ids: of each a hash is kept, twelve bytes in all, and the passage itself decides.

    Examples:
        >>> from multihop.retrieval import Passage
        >>> from multihop.retrieval.corpus import IdTable
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
    def read(cls, folder: Path) -> "IdTable":
        """The table in a folder, left on disk."""
        hashes, places = (read_array(folder / name) for name in (HASHES, PLACES))
        if (hashes.dtype.name, places.dtype.name) != ("int64", "int32") or hashes.shape != places.shape:
            raise damaged(folder, HASHES)
        return cls(hashes, places)

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
                if not 0 <= place < len(passages):
                    raise DamagedFileError("an index is damaged, ids.places.npy is not as it was written; rebuild it.")
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


def write_passages(
    folder: Path, passages: Iterable[Passage], size: int, look: Callable[[list[Passage]], None] | None = None
) -> str:
    """Write a corpus, with the places of its ids, into a folder as it streams by; returns its fingerprint.

    Args:
        folder: The folder, where `open_passages` finds it.
        passages: The corpus; it is read once.
        size: The number of passages that are in memory at once.
        look: Called with each block of them.

    Raises:
        InputError: There are no passages, something is none, or two have one id.
    """
    corpus = CorpusCheck()
    with PassageWriter(folder) as writer:
        for block in corpus.blocks(passages, size):
            writer.extend(block)
            if look is not None:
                look(block)
    corpus.refuse_duplicates(PassageFile(folder))
    corpus.id_table().write(folder)
    return corpus.fingerprint
