"""Model files on the disk: whether a file is one, where one is, and which it is."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ...base import InputError, reading

PREFIX = "gguf:"
"""The beginning of the name of an LM that is a file."""
MAGIC = b"GGUF"
FOLDERS = "MULTIHOP_MODELS"
"""The variable that names folders of model files."""


def check_file(path: str | os.PathLike[str]) -> Path:
    """The file's path, if it is a GGUF file.

    Raises:
        InputError: It is not.
    """
    found = Path(path).expanduser()
    try:
        with reading(found) as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise InputError(f"{found} cannot be read: {error.strerror}.") from None
    if magic != MAGIC:
        raise InputError(f"{found} is no GGUF file.")
    return found


def model_folders() -> list[Path]:
    """The folders that `MULTIHOP_MODELS` names."""
    return [Path(each).expanduser() for each in os.environ.get(FOLDERS, "").split(os.pathsep) if each]


def find_file(path: str | os.PathLike[str]) -> Path:
    """The model file at that path; or, for a name alone, the one here or else in a folder of `MULTIHOP_MODELS`.

    Raises:
        InputError: It is in none of them, or in several; the message names them.
    """
    given = Path(path).expanduser()
    if given.is_file() or given.name != str(given):
        return given
    folders = model_folders()
    found = {(folder / given).resolve(): folder / given for folder in folders if (folder / given).is_file()}
    if not found:
        places = ", ".join(str(folder) for folder in (Path(), *folders))
        raise InputError(f"there is no model file {given} in {places}; name the folder it lies in with {FOLDERS}.")
    if len(found) > 1:
        listed = ", ".join(str(each) for each in found.values())
        raise InputError(
            f"there are {len(found)} model files named {given}: {listed}; write the path of the one you mean."
        )
    (only,) = found.values()
    return only


def fingerprint(path: Path) -> str:
    """Eight hexadecimal digits that tell one file from another: of its size, its beginning, its middle and its end."""
    size, part = path.stat().st_size, 1 << 20
    digest = hashlib.blake2b(str(size).encode(), digest_size=4)
    with open(path, "rb") as file:
        for place in (0, max(0, size // 2 - part // 2), max(0, size - part)):
            file.seek(place)
            digest.update(file.read(part))
    return digest.hexdigest()
