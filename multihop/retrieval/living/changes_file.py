"""The folder of an index whose corpus changes: its parts, and what its manifest says of them."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ...base import InputError, flush_folder, writing
from ...base.files import read_arrays
from ..index_folder import CHANGED, MANIFEST, damaged, stamp
from .gone import Gone

HERE = "."
"""The part that is the folder itself, as it was built."""
LOCK = ".lock"
"""The file that a writer has locked."""
COMPACTING = ".compacting"
"""The file that is locked while several parts are made one."""
PASSING = ".passing"
"""The file that is locked by a writer who will be waited for: one that makes one part of several, for its moments."""
MEMORY = "documents.json"
"""The file that remembers the documents which an index was made of, where it was."""
_PART, _WHOLE, _GONE = "part-", "whole-", "gone-"


class Changes(NamedTuple):
    """The parts of an index in their order, and the file that tells which of their passages were removed."""

    parts: tuple[str, ...] = (HERE,)
    """The folders of the parts, within the index's own."""
    gone: str | None = None
    """The name of the file; None if none was removed."""
    number: int = 0
    """The number of changes so far; new files have it in their names."""
    settled: int = 1
    """The first so many parts are never joined with later ones: the large one, or all that are being made one."""

    @property
    def next_part(self) -> str:
        """The name for a new part."""
        return f"{_PART}{self.number + 1:06}"

    @property
    def next_whole(self) -> str:
        """The name for the part that all of these become."""
        return f"{_WHOLE}{self.number + 1:06}"

    @property
    def next_gone(self) -> str:
        """The name for a new file of removed passages."""
        return f"{_GONE}{self.number + 1:06}.npz"

    @classmethod
    def of(cls, described: Any, folder: Path) -> "Changes":
        """The changes that a manifest describes; none where it has None.

        Raises:
            DamagedFileError: It is no such description.
        """
        if described is None:
            return cls()
        try:
            parts, number = tuple(map(str, described["parts"])), int(described["number"])
            changes = cls(parts, described["gone"], number, int(described.get("settled", 1)))
            names = [name for name in (*changes.parts, changes.gone) if name not in (HERE, None)]
            sound = bool(changes.parts) and all(str(name).startswith((_PART, _WHOLE, _GONE)) for name in names)
        except (LookupError, TypeError, ValueError):
            sound = False
        if not sound or any(os.sep in str(name) for name in names):
            raise damaged(folder, MANIFEST)
        return changes


def read_gone(folder: Path, changes: Changes) -> dict[str, Gone]:
    """The passages that were removed, by the names of the parts."""
    if changes.gone is None:
        return {}
    try:
        arrays = read_arrays(folder / changes.gone)
        return {name: Gone(*(arrays[f"{name}/{field}"] for field in Gone._fields)) for name in changes.parts}
    except Exception as error:  # numpy and its archives fail in many ways
        raise damaged(folder, changes.gone) from error


def write_gone(folder: Path, name: str, gone: Mapping[str, Gone]) -> None:
    """Write the passages that were removed, by the names of the parts."""
    import numpy as np

    with writing(folder / name, "wb") as file:
        fields = {f"{part}/{field}": array for part, of in gone.items() for field, array in of._asdict().items()}
        np.savez(file, **fields)


def publish(folder: Path, description: Mapping[str, Any]) -> None:
    """Replace the manifest in one step: before it the index is as it was, and after it as this describes it.

    All that it names is on the disk before, but for the files in the parts, and the manifest itself is after it.
    """
    flush_folder(folder, files=False)
    with writing(folder / MANIFEST) as file:
        file.write(ujson.dumps(description, indent=2, ensure_ascii=False, escape_forward_slashes=False) + "\n")
    flush_folder(folder, files=False)


def describe(folder: Path, first: Mapping[str, Any], version: int, changes: Changes) -> dict[str, Any]:
    """The manifest of an index in parts.

    Args:
        folder: The index's folder.
        first: The manifest of the first part.
        version: The format of an index that has not changed.
        changes: The parts, all of them written.
    """
    files = dict(first["files"]) if changes.parts[0] == HERE else {}
    files = {name: each for name, each in files.items() if not name.startswith(_GONE)}
    if changes.gone is not None:
        files[changes.gone] = stamp(folder / changes.gone)
    return {**first, "format": version + CHANGED, "changes": changes._asdict(), "files": files}


def sweep(folder: Path, changes: Changes, home: Path | None = None) -> None:
    """Delete what no longer counts, or was left by a change that was cut short; who has it open may read on.

    Args:
        folder: The folder of the index.
        changes: What counts there.
        home: The folder of the index that this one is a part of, which is locked for it.
    """
    kept = {MANIFEST, LOCK, COMPACTING, PASSING, MEMORY, changes.gone, *changes.parts}
    with suppress(OSError), _unless_locked((home or folder) / COMPACTING) as idle:
        for path in folder.iterdir():
            name = path.name.lstrip(".")
            ours = name.startswith((_PART, _WHOLE, _GONE)) or path.name.startswith(f".{MANIFEST}.")
            making = name.startswith(_WHOLE) and not idle
            if path.name in kept or making or not (ours or HERE not in changes.parts):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


@contextmanager
def only_writer(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """In the block nobody else changes the index; who makes one part of several takes a moment, and is waited for.

    Raises:
        InputError: Somebody does now and shall not be waited for, or the folder cannot be written.
    """
    with (
        _locked(folder, PASSING, wait, shared=not wait) as idle,  # nobody who will be waited for has LOCK, or gets it
        _locked(folder, LOCK, wait=wait or not idle) as ours,
    ):
        if not ours:
            raise InputError(f"{folder} is being changed by another writer; try again when that is done.")
        yield


@contextmanager
def only_compactor(folder: Path, *, wait: bool) -> Iterator[bool]:
    """In the block nobody else makes one part of several; False if somebody does and shall not be waited for."""
    with _locked(folder, COMPACTING, wait) as ours:
        yield ours


@contextmanager
def _unless_locked(path: Path) -> Iterator[bool]:
    """True if nobody has locked a file, which nobody can then do in the block."""
    if not path.exists():
        yield True
        return
    with _locked(path.parent, path.name, wait=False, shared=True) as idle:
        yield idle


@contextmanager
def _locked(folder: Path, name: str, wait: bool, shared: bool = False) -> Iterator[bool]:
    """In the block a file of the folder is locked; False if somebody else has locked it and shall not be waited for."""
    import fcntl

    try:
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InputError(f"cannot change {folder}: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
            ours = True
        except BlockingIOError:
            ours = False
        yield ours
    finally:
        os.close(file)
