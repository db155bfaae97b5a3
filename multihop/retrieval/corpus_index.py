"""An index over a corpus: its passages, checked and written as they stream by, and the class of every kind of index."""

import hashlib
import math
import mmap
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar, Self

import ujson

from ..base import DamagedFileError, InputError, MismatchError, NotCopied
from ..base.files import LONGEST_RECORD
from ..base.imports import NDArray, np
from ..encoder.hub import fetching_nothing
from .index_folder import (
    FORMAT,
    MANIFEST,
    HashTable,
    Manifest,
    damaged,
    hash_texts,
    index_fingerprint,
    open_manifest,
    opening,
    read_column,
    read_latest,
    read_state,
    seal,
    writing_index,
)
from .passage import Hit, Passage, Passages, Progress

LINES, OFFSETS, IDS = "passages.jsonl", "passages.offsets", "ids"
BLOCK = 4096
"""Passages that are in memory at once while they are written."""
PlaceScores = list[tuple[int, float]]
"""A ranking before its passages are read: where each is in the corpus, and its score, best first."""


class PassageFile:
    """The passages of an index folder, by position; mapped, so that opening five million takes no time and memory."""

    def __init__(self, folder: Path) -> None:
        """The passages that `write_passages` left in `folder`."""
        self._offsets = read_column(folder, OFFSETS, "<i8")
        with opening(folder, LINES) as file:
            lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if not len(self._offsets) or self._offsets[-1] != len(lines):
            raise damaged(folder, OFFSETS)
        self._read = partial(_read_passage, folder, self._offsets, lines)  # not `self`: who lets go closes the files
        # Questions about one thing find the same passages again and again.
        self._recent = lru_cache(maxsize=1 << 14)(self._read)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> Passage:
        return self._recent(position)

    def __iter__(self) -> Iterator[Passage]:
        return map(self._read, range(len(self)))


def _read_passage(folder: Path, offsets: "NDArray[np.int64]", lines: mmap.mmap, position: int) -> Passage:
    try:
        start, end = offsets[position : position + 2].tolist()
        entry = ujson.loads(lines[start : min(end, start + LONGEST_RECORD)])
        passage = Passage(entry["id"], entry["title"], entry["text"])
        "".join(passage)  # all three are texts
    except (ValueError, KeyError, TypeError) as error:
        message = f"{folder / LINES}, line {position + 1}: damaged; rebuild the index with `multihop index`."
        raise DamagedFileError(message) from error
    return passage


class CorpusCheck:
    """Refuses what is not a passage, fingerprints the rest, and finds ids given twice, by eight bytes that it keeps."""

    def __init__(self) -> None:
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
    """Write a corpus into a folder as it streams by, each block shown to `look`; returns what a manifest says of it."""
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


class CorpusIndex(NotCopied):
    """An index over passages that it holds or reads from its folder, and whose passages may come and go there.

    A change writes the whole index anew, and only what is dear, such as vectors, is taken over; so it equals one that
    was built of the passages that are left, in their order, and then of those that were added, in theirs. It happens
    whole or not at all. Who has the index open goes on with what was there, `latest()` gives what is there now.

    Pickled, an index in memory goes with all it holds, and one in a folder as the folder's path. A kind of index has
    `search`, and `of` and `_write_again` for its folder.
    """

    kind: ClassVar[str]
    """The kind of index, as its folder's manifest and its fingerprint name it."""
    format: ClassVar[int] = FORMAT
    """The version of the way in which its folder is written."""
    manifest: ClassVar[type[Manifest]]
    """The settings that the folder's manifest must have."""
    _passages: Passages
    _settings: dict[str, Any]
    """Everything that decides which passages are found."""
    _folder: Path | None = None
    """The folder the index is read from; None if it is in memory."""
    _ids: HashTable | None = None
    """The places of the passages by their ids, if they were looked for, or kept in the folder."""
    _state = b""
    """The `index.json` of the folder as it was when the index was opened."""
    follow: Callable[[], object] | None = None
    """Brings the folder up to date before `latest()` looks at it, as where the index follows a folder of documents."""

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed."""
        return cls._load(Path(folder).expanduser(), None)

    @classmethod
    def _load(cls, place: Path, encoder: Any) -> Self:
        opened, state = read_latest(place, partial(cls._open, encoder=encoder))
        opened._folder, opened._state = place.resolve(), state
        return opened

    @classmethod
    def _open(cls, home: Path, encoder: Any) -> Self:
        described = open_manifest(home, cls.kind, cls.format, cls.manifest)
        try:
            passages, ids = PassageFile(home), HashTable.read(home, IDS)
            if not len(passages) == len(ids) == described.passages:
                raise damaged(home, MANIFEST)
            with fetching_nothing():  # a manifest may name an encoder of a hub
                opened = cls.of(home, described, passages, encoder)
        except InputError:
            raise
        except Exception as error:  # arrays that do not fit together fail in many ways
            raise damaged(home, MANIFEST) from error
        opened._ids = ids
        return opened

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile, encoder: Any = None) -> Self:
        """The index of these passages in a folder, with these settings; an encoder that is given must have made it."""
        raise NotImplementedError

    @classmethod
    def _built_in(cls, folder: str | os.PathLike[str], write: Callable[[Path], dict[str, Any]]) -> Self:
        """The index whose files a function writes into a folder that it is given, and whose settings it returns."""
        with writing_index(folder) as scratch:
            seal(scratch, {"kind": cls.kind, "format": cls.format, **write(scratch)})
        return cls.load(folder)

    def _write_again(self, folder: Path, passages: Iterable[Passage], progress: Progress = None) -> dict[str, Any]:
        """Write an index of other passages, by the same settings, into a folder; returns what the manifest says."""
        raise InputError(f"{self._folder} takes no changes, as an index of kind {self.kind}; rebuild it.")

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        raise NotImplementedError

    def _hits(self, ranking: PlaceScores) -> list[Hit]:
        if not all(math.isfinite(score) for _, score in ranking):
            raise damaged(self._folder or "the index", "a score")
        return [Hit(self._passages[place], score) for place, score in ranking]

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: the corpus, and the way it is indexed."""
        return dict(self._settings)

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings: equal where every search gives the same answer."""
        return index_fingerprint(self.kind, self.settings)

    @property
    def _lasting(self) -> Any:
        """The settings that no change of the corpus touches."""
        return {name: value for name, value in self._settings.items() if name != "corpus"}

    def latest(self) -> Self:
        """The index as its folder is now: itself if nothing has changed; else another, and this one stays as it is."""
        if self.follow is not None:
            self.follow()
        if self._folder is None or read_state(self._folder) == self._state:
            return self
        fresh = self._load(self._folder, getattr(self, "encoder", None))  # no folder's word opens another encoder
        if fresh._lasting != self._lasting:
            raise MismatchError(f"{self._folder} now holds an index with other settings; open it anew.")
        fresh.follow = self.follow
        return fresh

    def add(self, passages: Iterable[Passage]) -> Self:
        """Add passages, after those that are there; returns the index with them."""
        return self.exchange([], passages)

    def remove(self, ids: Iterable[str]) -> Self:
        """Remove the passages with these ids; returns the index without them."""
        return self.exchange(ids, [])

    def update(self, passages: Iterable[Passage]) -> Self:
        """Replace passages by others with the same ids, which stand last, as if they were new."""
        listed = list(passages)
        return self.exchange([getattr(passage, "id", "") for passage in listed], listed)

    def exchange(self, ids: Iterable[str], passages: Iterable[Passage]) -> Self:
        """Remove the passages with these ids and add others, in one step; returns the index as it is then.

        Raises:
            InputError: Something is no passage, an id is given twice, one to be removed is not there or one to be added
                is, no passage would be left, or the index is in memory; nothing is changed.
        """
        added, listed, check = list(passages), list(ids), CorpusCheck()
        check.add(added)
        check.table(added)
        if isinstance(ids, str) or not all(isinstance(id_, str) for id_ in listed):
            raise InputError(f"ids are given as a list of texts, not as {ids!r:.60}; nothing was changed.")
        out = dict.fromkeys(listed)
        if self._folder is None:
            raise InputError("an index in memory takes no changes; build it with folder=..., or anew.")
        if not (out or added):
            return self.latest()
        with writing_index(self._folder, change=True) as scratch:
            now = self.latest()
            gone = now._find(out)
            for id_ in out.keys() - gone.keys():
                raise InputError(f"the index has no passage with the id '{id_:.80}'; nothing was changed.")
            for id_ in now._find(passage.id for passage in added).keys() - out.keys():
                raise InputError(
                    f"the index has a passage with the id '{id_:.80}' already, and nothing was changed; to put another "
                    "in its place, update it."
                )
            kept: NDArray[np.int64] = np.setdiff1d(np.arange(len(now)), list(gone.values()))
            if not len(kept) + len(added):
                raise InputError("an index has one passage or more, and these are all; delete the index instead.")
            left = chain(map(now._passages.__getitem__, kept.tolist()), added)
            seal(scratch, {"kind": now.kind, "format": now.format, **now._write_again(scratch, left)})
        return self.latest()

    def rewrite(self, passages: Iterable[Passage], progress: Progress = None) -> Self:
        """Put other passages in the place of all that are there, in one step; returns the index of them."""
        assert self._folder is not None
        with writing_index(self._folder, change=True) as scratch:
            written = self._write_again(scratch, passages, progress)
            seal(scratch, {"kind": self.kind, "format": self.format, **written})
        return self.latest()

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages with these ids, as far as they are there, by their ids."""
        return {id_: self._passages[place] for id_, place in self._find(ids).items()}

    def _find(self, ids: Iterable[str]) -> dict[str, int]:
        if self._ids is None:
            self._ids = HashTable.of_hashes(hash_texts(passage.id for passage in self._passages))
        return self._ids.find_passages(ids, self._passages)

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        return iter(self._passages)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._passages)

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
