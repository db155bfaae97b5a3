"""The folder of an index: its manifest `index.json`, and its files, written whole and read where they lie.

The files of an index are in a folder within its own, which the `index.json` of its own names. An index is never
overwritten: all is written into another such folder, and then `index.json` is replaced. So there is the old index or
the new one, whatever happens, and who has the old one open reads on.
"""

import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import ujson
from pydantic import BaseModel, Field, NonNegativeInt, ValidationError

from ..base import (
    DamagedFileError,
    InputError,
    MismatchError,
    flush_folder,
    naming_refusals,
    only_writer,
    write_record,
    writing,
)
from ..base.files import FileModel, FiniteJson, open_ordinary, read_small
from ..base.imports import NDArray, np
from .passage import Passages

Result = TypeVar("Result")
MANIFEST = "index.json"
FORMAT = 104
"""The format of indexes of words, of vectors and of both; each that is written otherwise has a higher one."""
_REBUILD = "rebuild it with `multihop index`."
_CHECKED_WHOLE = 64 << 20
_PIECE = 1 << 20
_TRIES = 20
"""Readings of an index that is written anew all the while."""
_LOCK = ".lock"
"""The file that a writer has locked."""
_ANEW = "anew-"
"""The beginning of the names of folders that hold the files of an index."""


class _Stamp(FileModel):
    bytes: NonNegativeInt
    crc32: NonNegativeInt | None = None
    """None for a file that is too large to be read whole."""


class Manifest(FileModel, extra="allow"):
    """The content of `index.json` that every kind of index has; each kind adds fields of its own."""

    __pydantic_extra__: dict[str, FiniteJson]
    kind: str
    format: int
    files: dict[Annotated[str, Field(pattern=r"^[^/\\\x00-\x1f\x7f]+$", max_length=255)], _Stamp]
    """By their names in the index's own folder, never by a path out of it."""
    passages: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    encoder_folder: str | None = None
    """The encoder that made the vectors, by its folder or its name on the hub; None if it is built in."""


class _Pointer(BaseModel):
    at: str | None = Field(None, pattern=f"^{_ANEW}[0-9a-f]+$")
    """The folder that has the files; the index's own if there is none."""


Described = TypeVar("Described", bound=BaseModel)


def is_index(path: str | os.PathLike[str]) -> bool:
    """True if `path` is a folder with an index in it, whole or damaged."""
    return (Path(path).expanduser() / MANIFEST).is_file()


def seal(folder: Path, description: Mapping[str, Any]) -> None:
    """Write `index.json`: the description, and the size and checksum of every file in the folder."""
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != MANIFEST)
    files = {name: _stamp_of(folder, name).model_dump(exclude_none=True) for name in names}
    write_record(folder / MANIFEST, {**description, "files": files})


def find_home(folder: str | os.PathLike[str]) -> Path:
    """The folder that has the files of an index."""
    home = Path(folder).expanduser()
    at = _parse(folder, _Pointer).at
    return home if at is None else home / at


def index_of(home: str | os.PathLike[str]) -> Path:
    """The index whose files are in a folder, as its user knows it."""
    path = Path(home)
    return path.parent if path.name.startswith(_ANEW) else path


def read_manifest(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of an index; InputError if there is none."""
    return read_latest(folder, lambda home: _parse(home, Manifest))[0]


def read_latest(folder: str | os.PathLike[str], read: Callable[[Path], Result]) -> tuple[Result, bytes]:
    """The result of a function of the folder with an index's files, read again if it is written anew meanwhile."""
    for _ in range(_TRIES):
        state = read_state(folder)
        try:
            return read(find_home(folder)), state
        except InputError:
            if read_state(folder) == state:
                raise
    raise InputError(f"{folder} is written anew faster than it can be read; try again when that is done.")


def read_state(folder: str | os.PathLike[str]) -> bytes:
    """The bytes of `index.json`, which are others once the index was written anew; InputError if there is none."""
    path = Path(folder).expanduser() / MANIFEST
    if not path.is_file():
        state = "has no index.json" if path.parent.is_dir() else "is no folder"
        raise InputError(f"{folder} is not an index, it {state}; build one with `multihop index`.")
    try:
        return read_small(path)
    except (OSError, InputError):
        raise damaged(folder, MANIFEST) from None


def _parse(folder: str | os.PathLike[str], model: type[Described]) -> Described:
    try:
        return model.model_validate_json(read_state(folder))
    except ValidationError:
        raise damaged(folder, MANIFEST) from None


@contextmanager
def writing_index(folder: str | os.PathLike[str], *, change: bool = False) -> Iterator[Path]:
    """A folder for the files of an index, which takes the place of the one in `folder` when the block ends well.

    In the block no other process writes to the index. All else in `folder` goes; at a change only what changes left
    there. Where the block or the disk fails, what was there is as it was.
    """
    home = Path(folder).expanduser()
    new = not home.exists()
    if not (new or is_index(home) or (home.is_dir() and all(map(_is_left_over, home.iterdir())))):
        raise InputError(f"{home} exists and is not ours to replace (no {MANIFEST} in it); choose another folder.")
    scratch = home / f"{_ANEW}{secrets.token_hex(4)}"
    try:
        with only_writer(home / _LOCK, f"{home} is being changed by another writer; try again when that is done."):
            before = [path for path in home.iterdir() if path.name not in (MANIFEST, _LOCK)]
            with naming_refusals(home):
                scratch.mkdir()
                yield scratch
                flush_folder(scratch)
                with writing(home / MANIFEST) as file:
                    file.write(ujson.dumps({"at": scratch.name}) + "\n")
                flush_folder(home, files=False)
            _delete([path for path in before if not change or _is_left_over(path)])
    finally:
        if new and not is_index(home):
            _delete([home])
        else:
            counts = False
            with suppress(InputError):
                counts = find_home(home) == scratch
            if not counts:
                _delete([scratch])


def _is_left_over(path: Path) -> bool:
    """True for what a change writes beside `index.json`, and leaves behind where it is cut short."""
    return path.name == _LOCK or path.name.startswith((_ANEW, f".{MANIFEST}."))


def _delete(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def open_manifest(home: Path, kind: str, version: int, model: type[Described]) -> Described:
    """The manifest of the files in a folder, if they are whole and of this kind and version; else an InputError.

    Files up to 64 MiB are compared by checksum; of larger ones, which opening must not read, only the size.
    """
    manifest = _parse(home, Manifest)
    if manifest.kind != kind:
        raise MismatchError(f"{index_of(home)} is an index of kind '{manifest.kind}', not '{kind}'; {_REBUILD}")
    if manifest.format != version:
        age = "an older" if manifest.format < version else "a newer"
        raise MismatchError(f"{index_of(home)} was written by {age} version of multihop; {_REBUILD}")
    for name, stamp in manifest.files.items():
        if _stamp_of(home, name, whole=stamp.crc32 is not None) != stamp:
            raise damaged(home, name)
    return _parse(home, model)


def index_fingerprint(kind: str, described: Any) -> str:
    """The identity of an index: its kind, and a hash of all that decides what it finds."""
    return f"{kind}-{blake2b(ujson.dumps(described, sort_keys=True).encode(), digest_size=16).hexdigest()}"


def damaged(folder: str | os.PathLike[str], name: str) -> InputError:
    """The error for a file of an index that is not as it was written."""
    return DamagedFileError(f"{index_of(folder)} is damaged, {name} is not as it was written; {_REBUILD}")


@contextmanager
def opening(folder: Path, name: str) -> Iterator[IO[bytes]]:
    """A file of an index; if it is missing, no ordinary file or not as the block needs it, the index is damaged."""
    try:
        with open_ordinary(folder / name) as file:
            yield file
    except FileNotFoundError:
        raise DamagedFileError(f"{index_of(folder)} is damaged, {name} is missing; {_REBUILD}") from None
    except (OSError, ValueError):
        raise damaged(folder, name) from None


def _stamp_of(folder: Path, name: str, whole: bool = True) -> _Stamp:
    """The size of a file, and its checksum where it is wanted and the file is not too large to be read whole."""
    with opening(folder, name) as file:
        size, checksum = os.fstat(file.fileno()).st_size, 0
        if not whole or size > _CHECKED_WHOLE:
            return _Stamp(bytes=size)
        for _ in range(0, size, _PIECE):
            checksum = zlib.crc32(file.read(_PIECE), checksum)
    return _Stamp(bytes=size, crc32=checksum)


def read_column(folder: Path, name: str, dtype: str) -> "NDArray[Any]":
    """The numbers of this type in a file of an index, left on disk and read from there as they are needed."""
    with opening(folder, name) as file:
        # A plain view: slices of NumPy's own class for mapped files cost four times as much. None can map nothing.
        return np.asarray(np.memmap(file, dtype, "r")) if file.seek(0, os.SEEK_END) else np.empty(0, dtype)


class HashTable:
    """Finds the places of texts, such as ids, by hashes of them: twelve bytes each, in memory or left on disk."""

    def __init__(self, hashes: "NDArray[np.int64]", places: "NDArray[np.int32]") -> None:
        """The hashes in ascending order, and the place of each."""
        self.hashes, self.places = hashes, places

    @classmethod
    def of_hashes(cls, hashes: "NDArray[np.int64]") -> "HashTable":
        """The table of texts with these hashes, in the order of the texts."""
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
        first, after = self.hashes.searchsorted(wanted), self.hashes.searchsorted(wanted, "right")
        places: list[int] = self.places[first:after].tolist()
        return places

    def find_passages(self, ids: Iterable[str], passages: Passages) -> dict[str, int]:
        """The places of those of the ids that the passages have."""
        return {id_: place for id_ in ids for place in self.find(id_) if passages[place].id == id_}

    def __len__(self) -> int:
        return len(self.places)


def hash_texts(texts: Iterable[str]) -> "NDArray[np.int64]":
    """A number for each text, the same in every process."""
    digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<i8")
