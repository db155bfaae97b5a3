"""The folder of an index, and its manifest `index.json`: the kind of index, its settings, its files' checksums.

An index that is written anew is never overwritten: all its files go into a new folder within its own, and then
`index.json` is replaced by one that names this folder. So there is the old index or the new one, whatever happens, and
who has the old one open reads on.
"""

import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import ujson

from ..base import (
    DamagedFileError,
    InputError,
    MismatchError,
    flush_folder,
    naming_refusals,
    read_small,
    writing,
    writing_folder,
)

Result = TypeVar("Result")
MANIFEST = "index.json"
FORMAT = 103
"""The format of indexes of words, of vectors and of both; versions before it wrote 1, 2, 101 and 102."""
_REBUILD = "rebuild it with `multihop index`."
_CHECKED_WHOLE = 64 << 20
MEMORY = "documents.json"
"""The file that remembers the documents which an index was made of, beside the index's own files."""
_LOCK = ".lock"
"""The file that a writer has locked."""
_ANEW = "anew-"
"""What the names of folders begin with in which an index was written anew."""


def is_index(path: str | os.PathLike[str]) -> bool:
    """True if `path` is a folder with an index in it, whole or damaged.

    Examples:
        >>> from multihop.retrieval import is_index
        >>> is_index("no/such/folder")
        False
    """
    return (Path(path).expanduser() / MANIFEST).is_file()


def seal(folder: Path, description: dict[str, Any]) -> None:
    """Write `index.json`: the description, and the size and checksum of every file in the folder."""
    files = {file.name: stamp(file) for file in sorted(folder.iterdir()) if file.is_file()}
    text = ujson.dumps({**description, "files": files}, indent=2, ensure_ascii=False, escape_forward_slashes=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def find_home(folder: str | os.PathLike[str]) -> Path:
    """The folder that has the files of an index: its own or, where it was written anew, the one in it that is named.

    Raises:
        InputError: There is no index.
    """
    home = Path(folder).expanduser()
    described = _read(folder)
    if "at" not in described:
        return home
    at = described["at"]
    if not isinstance(at, str) or not at.startswith(_ANEW) or Path(at).name != at:
        raise damaged(folder, MANIFEST)
    return home / at


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of an index's `index.json`, at least `kind` (str), `format` (int) and `files`.

    Raises:
        InputError: There is no index.
    """
    return read_latest(folder, _read_manifest)[0]


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


def _read_manifest(home: Path) -> dict[str, Any]:
    manifest = _read(home)
    try:
        sound = isinstance(manifest["kind"], str) and type(manifest["format"]) is int
        sound = sound and all(type(stamp["bytes"]) is int for stamp in manifest["files"].values())
    except (LookupError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise damaged(home, MANIFEST)
    return manifest


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


def _read(folder: str | os.PathLike[str]) -> dict[str, Any]:
    state = read_state(folder)
    try:
        return dict(ujson.loads(state))
    except (ValueError, TypeError):
        raise damaged(folder, MANIFEST) from None


@contextmanager
def writing_index(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder for the files of an index, which takes the place of the one in `folder` when the block ends well.

    Raises:
        InputError: There is something else, somebody else writes to the index, or the disk refuses; what was there is
            as it was.
    """
    home = Path(folder).expanduser()
    if not is_index(home):
        with writing_folder(home, marker=MANIFEST) as scratch:
            yield scratch
        return
    with only_writer(home), writing_anew(home) as scratch:
        others = [path for path in home.iterdir() if path.name not in (MANIFEST, _LOCK, scratch.name)]
        yield scratch
    _delete(others)


@contextmanager
def writing_anew(home: Path) -> Iterator[Path]:
    """The same for an index that is there, and that this writer alone may write to (`only_writer`).

    Files of others in its folder stay.
    """
    scratch, named = home / f"{_ANEW}{secrets.token_hex(4)}", set[Any]()
    with suppress(InputError, TypeError):  # what is damaged is replaced too
        named = {MEMORY, *_read(home).get("files", ())}
    before = [path for path in home.iterdir() if path.name in named or path.name.startswith((_ANEW, f".{MANIFEST}."))]
    try:
        with naming_refusals(home):
            scratch.mkdir()
            yield scratch
            flush_folder(scratch)
            with writing(home / MANIFEST) as file:
                file.write(ujson.dumps({"at": scratch.name, "files": sorted(map(str, named))}) + "\n")
    except BaseException:
        if _at(home) != scratch.name:  # else it counts already
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    flush_folder(home, files=False)
    _delete(before)


def _at(home: Path) -> Any:
    with suppress(InputError):
        return _read(home).get("at")
    return None


def _delete(paths: list[Path]) -> None:
    """Delete files and folders that no longer count."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


@contextmanager
def only_writer(home: Path) -> Iterator[None]:
    """In the block nobody else writes to the index.

    Raises:
        InputError: Somebody does now, or the folder cannot be written.
    """
    import fcntl

    try:
        file = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InputError(f"cannot change {home}: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{home} is being changed by another writer; try again when that is done.") from None
        yield
    finally:
        os.close(file)


def encoder_named_in(folder: str | os.PathLike[str]) -> str | None:
    """The encoder that made the vectors of a dense index, by its folder or its name on the hub; None if it is built in.

    Raises:
        InputError: There is no index.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import Dense, Passage
        >>> from multihop.retrieval.index_folder import encoder_named_in
        >>> folder = tempfile.mkdtemp()
        >>> _ = Dense.build([Passage("p1", "Po", "A river in Italy.")], folder=folder)
        >>> print(encoder_named_in(folder))
        None
    """
    found = read_manifest(Path(folder).expanduser()).get("encoder_folder")
    return None if found is None else str(found)


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


def open_manifest(folder: str | os.PathLike[str], kind: str, version: int) -> dict[str, Any]:
    """The content of `index.json`, if the index is whole and of this kind and version; InputError if it is not.

    Files up to 64 MiB are compared by checksum; of larger ones, which opening must not read, only the size.
    """
    home, manifest = find_home(folder), read_manifest(folder)
    if manifest["kind"] != kind:
        raise MismatchError(f"{folder} is an index of kind '{manifest['kind']}', not '{kind}'; {_REBUILD}")
    if manifest["format"] != version:
        age = "an older" if manifest["format"] < version else "a newer"
        raise MismatchError(f"{folder} was written by {age} version of multihop; {_REBUILD}")
    for name, stamp in manifest["files"].items():
        file = home / name
        try:
            same = file.stat().st_size == stamp["bytes"]
            same = same and ("crc32" not in stamp or zlib.crc32(file.read_bytes()) == stamp["crc32"])
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise DamagedFileError(f"{folder} is damaged, {name} is missing; {_REBUILD}") from None
        if not same:
            raise damaged(folder, name)
    return manifest


@contextmanager
def reading_index(folder: str | os.PathLike[str]) -> Iterator[None]:
    """The files of an index are read in the block; what goes wrong there is an InputError that names the folder."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # numpy parses a header as Python does, and fails in as many ways
        raise damaged(folder, MANIFEST) from error


def index_fingerprint(kind: str, described: Any) -> str:
    """The identity of an index: its kind, and a hash of all that decides what it finds.

    Examples:
        >>> from multihop.retrieval.index_folder import index_fingerprint
        >>> index_fingerprint("bm25", {"k1": 1.2}) == index_fingerprint("bm25", {"k1": 0.9})
        False
    """
    return f"{kind}-{blake2b(ujson.dumps(described, sort_keys=True).encode(), digest_size=16).hexdigest()}"


def damaged(folder: str | os.PathLike[str], name: str) -> InputError:
    """The error for a file of an index that is not as it was written."""
    return DamagedFileError(f"{folder} is damaged, {name} is not as it was written; {_REBUILD}")


def stamp(file: Path) -> dict[str, int]:
    """The size of a file, and its checksum where it is not too large to be read whole."""
    size = file.stat().st_size
    return {"bytes": size, "crc32": zlib.crc32(file.read_bytes())} if size <= _CHECKED_WHOLE else {"bytes": size}
