"""The folder of an index, and its manifest `index.json`: the kind of index, its settings, its files' checksums.

The files of an index are in a folder within its own, which the `index.json` of its own names. An index is never
overwritten: all is written into another such folder, and then `index.json` is replaced. So there is the old index or
the new one, whatever happens, and who has the old one open reads on.
"""

import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import ujson
from pydantic import BaseModel, Field, NonNegativeInt, ValidationError

from ..base import DamagedFileError, InputError, MismatchError, flush_folder, naming_refusals, read_small, writing
from ..base.typed_files import FileModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

Result = TypeVar("Result")
MANIFEST = "index.json"
FORMAT = 104
"""The format of indexes of words, of vectors and of both; each that is written otherwise has a higher one."""
_REBUILD = "rebuild it with `multihop index`."
_CHECKED_WHOLE = 64 << 20
_LOCK = ".lock"
"""The file that a writer has locked."""
_ANEW = "anew-"
"""The beginning of the names of folders that hold the files of an index."""


class _Stamp(FileModel):
    bytes: NonNegativeInt
    crc32: int | None = None


class Manifest(FileModel, extra="allow"):
    """The content of `index.json` that every kind of index has; each kind adds fields of its own."""

    kind: str
    format: int
    files: dict[str, _Stamp]
    passages: NonNegativeInt = 0
    encoder_folder: str | None = None
    """The encoder that made the vectors, by its folder or its name on the hub; None if it is built in."""


class _Pointer(BaseModel):
    at: str | None = Field(None, pattern=f"^{_ANEW}[0-9a-f]+$")
    """The folder that has the files; the index's own if there is none."""


Described = TypeVar("Described", bound=BaseModel)


def is_index(path: str | os.PathLike[str]) -> bool:
    """True if `path` is a folder with an index in it, whole or damaged.

    Examples:
        >>> from multihop.retrieval import is_index
        >>> is_index("no/such/folder")
        False
    """
    return (Path(path).expanduser() / MANIFEST).is_file()


def seal(folder: Path, description: Mapping[str, Any]) -> None:
    """Write `index.json`: the description, and the size and checksum of every file in the folder."""
    files = {
        file.name: _size_and_sum(file) for file in sorted(folder.iterdir()) if file.is_file() and file.name != MANIFEST
    }
    files.pop(MANIFEST, None)
    text = ujson.dumps({**description, "files": files}, indent=2, ensure_ascii=False, escape_forward_slashes=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def find_home(folder: str | os.PathLike[str]) -> Path:
    """The folder that has the files of an index.

    Raises:
        InputError: There is no index.
    """
    home = Path(folder).expanduser()
    at = _parse(folder, _Pointer).at
    return home if at is None else home / at


def index_of(home: str | os.PathLike[str]) -> Path:
    """The index whose files are in a folder, as its user knows it."""
    path = Path(home)
    return path.parent if path.name.startswith(_ANEW) else path


def read_manifest(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of an index, read from its `index.json`.

    Raises:
        InputError: There is no index.
    """
    return read_latest(folder, lambda home: _parse(home, Manifest))[0]


def read_latest(folder: str | os.PathLike[str], read: Callable[[Path], Result]) -> tuple[Result, bytes]:
    """What a function reads of an index's own folder (`find_home`), and the state of the index then (`read_state`).

    Where the index is written anew meanwhile, the old files are gone, and it is read again.

    Raises:
        InputError: There is no index, or it cannot be read.
    """
    while True:
        state = read_state(folder)
        try:
            return read(find_home(folder)), state
        except InputError:
            if read_state(folder) == state:
                raise


def read_state(folder: str | os.PathLike[str]) -> bytes:
    """What is another once the index in a folder was written anew.

    Raises:
        InputError: There is no index.
    """
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

    In the block nobody else writes to the index. All else in `folder` goes; at a change only what changes left there.

    Raises:
        InputError: There is something else, somebody else writes to the index, or the disk refuses; what was there is
            as it was.
    """
    home = Path(folder).expanduser()
    new = not home.exists()
    if not (new or is_index(home) or (home.is_dir() and all(map(_is_left_over, home.iterdir())))):
        raise InputError(f"{home} exists and is not ours to replace (no {MANIFEST} in it); choose another folder.")
    scratch = home / f"{_ANEW}{secrets.token_hex(4)}"
    try:
        with _only_writer(home):
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
        elif not _counts(home, scratch):
            _delete([scratch])


def _counts(home: Path, scratch: Path) -> bool:
    with suppress(InputError):
        return find_home(home) == scratch
    return False


def _is_left_over(path: Path) -> bool:
    """True for what a change writes beside `index.json`, and leaves behind where it is cut short."""
    return path.name == _LOCK or path.name.startswith((_ANEW, f".{MANIFEST}."))


def _delete(paths: list[Path]) -> None:
    """Delete files and folders that no longer count."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


@contextmanager
def _only_writer(home: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home / _LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise InputError(f"{home} is being changed by another writer; try again when that is done.") from None
    except OSError as error:
        raise InputError(f"cannot write {home}: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()


def delete_index(folder: str | os.PathLike[str]) -> None:
    """Delete an index, of whatever kind; what has it open may go on searching.

    If that is cut short, what is left is no longer an index.

    Raises:
        InputError: There is no index, so that nothing is deleted.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import BM25, Passage, delete_index, is_index
        >>> folder = tempfile.mkdtemp()
        >>> _ = BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=folder)
        >>> delete_index(folder)
        >>> is_index(folder)
        False
    """
    home = Path(folder).expanduser()
    read_manifest(home)
    (home / MANIFEST).unlink()
    shutil.rmtree(home)


def open_manifest(home: Path, kind: str, version: int, model: type[Described]) -> Described:
    """What is said of the index whose files are in a folder, if it is whole and of this kind and version.

    Files up to 64 MiB are compared by checksum; of larger ones, which opening must not read, only the size.

    Raises:
        InputError: It is damaged, or of another kind or version.
    """
    manifest = _parse(home, Manifest)
    if manifest.kind != kind:
        raise MismatchError(f"{index_of(home)} is an index of kind '{manifest.kind}', not '{kind}'; {_REBUILD}")
    if manifest.format != version:
        age = "an older" if manifest.format < version else "a newer"
        raise MismatchError(f"{index_of(home)} was written by {age} version of multihop; {_REBUILD}")
    for name, stamp in manifest.files.items():
        try:
            written = _size_and_sum(home / name, whole=stamp.crc32 is not None)
        except (OSError, ValueError):
            raise DamagedFileError(f"{index_of(home)} is damaged, {name} is missing; {_REBUILD}") from None
        if written != stamp.model_dump(exclude_none=True):
            raise damaged(home, name)
    return _parse(home, model)


@contextmanager
def reading_index(folder: str | os.PathLike[str]) -> Iterator[None]:
    """The files of an index are read in the block; what goes wrong there is an InputError that names the folder."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # arrays that do not fit together fail in many ways
        raise damaged(folder, MANIFEST) from error


def index_fingerprint(kind: str, described: Any) -> str:
    """The identity of an index: its kind, and a hash of all that decides what it finds."""
    return f"{kind}-{blake2b(ujson.dumps(described, sort_keys=True).encode(), digest_size=16).hexdigest()}"


def damaged(folder: str | os.PathLike[str], name: str) -> InputError:
    """The error for a file of an index that is not as it was written."""
    return DamagedFileError(f"{index_of(folder)} is damaged, {name} is not as it was written; {_REBUILD}")


def read_column(folder: Path, name: str, dtype: str) -> "NDArray[Any]":
    """The numbers of this type in a file of an index, left on disk and read from there as they are needed."""
    import numpy as np

    path = folder / name
    try:
        # A plain view: slices of NumPy's own class for mapped files cost four times as much. None can map nothing.
        return np.asarray(np.memmap(path, dtype, "r")) if path.stat().st_size else np.empty(0, dtype)
    except (OSError, ValueError):
        raise damaged(folder, name) from None


def _size_and_sum(file: Path, whole: bool = True) -> dict[str, int]:
    """The size of a file, and its checksum where it is wanted and the file is not too large to be read whole."""
    size = file.stat().st_size
    whole = whole and size <= _CHECKED_WHOLE
    return {"bytes": size, "crc32": zlib.crc32(read_small(file, most=_CHECKED_WHOLE))} if whole else {"bytes": size}
