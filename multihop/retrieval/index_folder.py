"""The folder of an index, and its manifest `index.json`: the kind of index, its settings, its files' checksums."""

import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import ujson

from ..base import DamagedFileError, InputError, MismatchError, read_small

MANIFEST = "index.json"
_REBUILD = "rebuild it with `multihop index`."
_CHECKED_WHOLE = 64 << 20
CHANGED = 100
"""Added to a format's number where the corpus has changed: an earlier version must not take one part for all."""


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


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of `index.json`, at least `kind` (str), `format` (int) and `files`; InputError if there is none."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        state = "has no index.json" if Path(folder).is_dir() else "is no folder"
        raise InputError(f"{folder} is not an index, it {state}; build one with `multihop index`.")
    try:
        manifest = ujson.loads(read_small(path))
        sound = isinstance(manifest["kind"], str) and type(manifest["format"]) is int
        sound = sound and all(type(stamp["bytes"]) is int for stamp in manifest["files"].values())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise damaged(folder, MANIFEST)
    return dict(manifest)


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
    manifest = read_manifest(folder)
    if manifest["kind"] != kind:
        raise MismatchError(f"{folder} is an index of kind '{manifest['kind']}', not '{kind}'; {_REBUILD}")
    if manifest["format"] not in (version, version + CHANGED):
        age = "an older" if manifest["format"] < version else "a newer"
        raise MismatchError(f"{folder} was written by {age} version of multihop; {_REBUILD}")
    for name, stamp in manifest["files"].items():
        file = Path(folder) / name
        try:  # another may be making one part of all, and delete the file meanwhile
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
