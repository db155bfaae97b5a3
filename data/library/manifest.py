"""set.json: what is in a fetched folder, from where it came, and the checksums by which that can be seen."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, TypedDict

import ujson

from ...base import DamagedFileError, InputError, MismatchError, read_small, writing
from .catalogue import KnownSet

MANIFEST = "set.json"
PARTS = ".parts"
"""The folder within the folder, where downloads are until they are used."""


class SourceFile(TypedDict):
    """A file of the repository that something was made of."""

    repository: str
    """The repository on the hub, or the folder that a copy of it is in."""
    revision: str
    """The repository's revision; empty for a copy in a folder."""
    path: str
    """The file's path in the repository."""
    sha256: str
    """Its checksum."""


class WrittenFile(TypedDict):
    """A whole file of the folder."""

    records: int
    """The number of questions or passages in it."""
    sha256: str
    """Its checksum."""
    made_of: list[SourceFile]
    """The files it was made of; empty for a corpus made of the paragraphs of questions in this folder."""


class SetRecord(TypedDict):
    """A fetched question set: set.json."""

    name: str
    """The name it was fetched by."""
    title: str
    """The set's own name."""
    licence: str
    """The licence its makers give the data."""
    citation: str
    """The publication to cite."""
    homepage: str
    """The address of the makers' description."""
    files: dict[str, WrittenFile]
    """The files that are whole, by their names."""


def new_record(known: KnownSet) -> SetRecord:
    """The record of a set of which nothing is there yet."""
    return {
        "name": known.name,
        "title": known.title,
        "licence": known.licence,
        "citation": known.citation,
        "homepage": known.homepage,
        "files": {},
    }


def open_folder(folder: Path, known: KnownSet) -> SetRecord:
    """The folder's record of the set so far; a new record if the folder is empty or missing.

    Raises:
        MismatchError: It holds another set.
        InputError: It is no folder, or holds anything else.
        DamagedFileError: Its set.json is damaged, or one of its files is not what it was.
    """
    path = folder / MANIFEST
    if not path.exists():
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; give --to a folder.")
        if folder.exists() and any(path.name != PARTS for path in folder.iterdir()):
            raise InputError(f"{folder} holds other files and no {MANIFEST}; give --to an empty folder, or a new one.")
        return new_record(known)
    record = read_record(folder)
    if record["name"] != known.name:
        raise MismatchError(f"{folder} holds the set {record['name']}; give --to another folder for {known.name}.")
    record["files"] = {name: file for name, file in record["files"].items() if (folder / name).exists()}
    for name, file in record["files"].items():
        if checksum(folder / name) != file["sha256"]:
            raise DamagedFileError(
                f"{folder / name} is not as it was fetched: its checksum is not the one in {MANIFEST}; delete the "
                "file, and the same command gets it again."
            )
    return record


def read_record(folder: Path) -> SetRecord:
    """The folder's set.json."""
    path = folder / MANIFEST
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        record: SetRecord = ujson.loads(content.decode("utf-8"))
        whole = all(file["sha256"] for file in record["files"].values()) and bool(record["name"])
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise DamagedFileError(f"{path} is damaged; delete the folder, and the same command gets the set again.")
    return record


def write_record(folder: Path, record: SetRecord) -> None:
    """Write set.json; it is replaced whole or not at all."""
    with writing(folder / MANIFEST) as file:
        ujson.dump(record, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)


def checksum(path: Path, *, kind: str = "sha256") -> str:
    """The file's checksum: sha256, or git's own ("git"), by which the hub knows its small files.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data.library.manifest import checksum
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
        >>> _ = path.write_bytes(b"hello")
        >>> checksum(path)[:8], checksum(path, kind="git")
        ('2cf24dba', 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0')
    """

    def begin() -> Any:
        return hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)

    with path.open("rb") as file:
        return hashlib.file_digest(file, begin if kind == "git" else "sha256").hexdigest()
