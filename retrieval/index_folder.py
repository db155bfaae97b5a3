"""A folder that holds an index: its `index.json` says what it is and how to tell that it is whole."""

import os
import zlib
from pathlib import Path
from typing import Any

import ujson

from ..errors import InputError

MANIFEST = "index.json"
_REBUILD = "rebuild it with `multihop index`."
_CHECKED_WHOLE = 64 << 20


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is a folder with an index in it, whole or damaged.

    Examples:
        >>> from multihop.retrieval import is_index
        >>> is_index("no/such/folder")
        False
    """
    return (Path(path) / MANIFEST).is_file()


def seal(folder: Path, description: dict[str, Any]) -> None:
    """Write `index.json`: the description, and the size and checksum of every file in the folder."""
    files = {file.name: _stamp(file) for file in sorted(folder.iterdir()) if file.is_file()}
    text = ujson.dumps({**description, "files": files}, indent=2, ensure_ascii=False, escape_forward_slashes=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What `index.json` says, at least `kind` (str), `format` (int) and `files`; InputError if there is none."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        state = "has no index.json" if Path(folder).is_dir() else "is no folder"
        raise InputError(f"{folder} is not an index, it {state}; build one with `multihop index`.")
    try:
        manifest = ujson.loads(path.read_bytes())
        sound = isinstance(manifest["kind"], str) and type(manifest["format"]) is int
        sound = sound and all(type(stamp["bytes"]) is int for stamp in manifest["files"].values())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise damaged(folder, MANIFEST)
    return dict(manifest)


def check(folder: str | os.PathLike[str], manifest: dict[str, Any], kind: str, version: int) -> None:
    """Refuse an index of another kind or version, or one whose files are not as they were written.

    Files up to 64 MiB are compared by checksum; of larger ones, which opening must not read, only the size.
    """
    if manifest["kind"] != kind:
        raise InputError(f"{folder} is an index of kind '{manifest['kind']}', not '{kind}'; {_REBUILD}")
    if manifest["format"] != version:
        age = "an older" if manifest["format"] < version else "a newer"
        raise InputError(f"{folder} was written by {age} version of multihop; {_REBUILD}")
    for name, stamp in manifest["files"].items():
        file = Path(folder) / name
        if not file.is_file():
            raise InputError(f"{folder} is damaged, {name} is missing; {_REBUILD}")
        same_size = file.stat().st_size == stamp["bytes"]
        if not same_size or ("crc32" in stamp and zlib.crc32(file.read_bytes()) != stamp["crc32"]):
            raise damaged(folder, name)


def damaged(folder: str | os.PathLike[str], name: str) -> InputError:
    """The error for a file of an index that is not as it was written."""
    return InputError(f"{folder} is damaged, {name} is not as it was written; {_REBUILD}")


def _stamp(file: Path) -> dict[str, int]:
    size = file.stat().st_size
    return {"bytes": size, "crc32": zlib.crc32(file.read_bytes())} if size <= _CHECKED_WHOLE else {"bytes": size}
