"""The folder of an encoder, and its manifest with the checksums of its files."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from ..base import DamagedFileError, InputError, MismatchError, write_record
from ..base.files import FileModel, parsed
from ..base.imports import NDArray, np

BUILT_IN = Path(__file__).parent / "built_in"
MANIFEST = "encoder.json"
FORMAT = 3
FILES = ("vectors.npy", "scales.npy", "embed.onnx", "judge.onnx", "tokenizer.json")
"""The word vectors, a row of bytes a token; the factor of each row; the two networks; the tokenizer."""
JUDGE, READER, LABELER, FILTER = "judge.onnx", "reader.onnx", "labeler.onnx", "filter.onnx"
"""The network that judges, and those that an encoder has once they are trained: one that reads, and the two of
EfficientRAG."""


class _Manifest(FileModel):
    """The manifest of an encoder's folder, as `seal_encoder` writes it, with what the training tells of itself."""

    model_config = ConfigDict(extra="allow")
    format: int
    name: str
    width: int
    files: dict[str, str]
    """The checksum of each file."""
    sources: list[str] = []
    trained: list[str] = ["judge"]
    start: str = ""


def read_encoder_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The encoder's manifest, after every file has been compared with it."""
    home = Path(folder)
    remedy = "reinstall multihop" if home == BUILT_IN else "make it again with `multihop train`"
    if not (home / MANIFEST).is_file():
        raise InputError(f"{home} holds no encoder, it has no {MANIFEST}; {remedy}.")
    manifest = parsed(_Manifest, (home / MANIFEST).read_bytes(), home / MANIFEST, f"an encoder's manifest; {remedy}")
    version, digests = manifest.format, manifest.files
    if version != FORMAT:
        raise MismatchError(f"{home} holds an encoder of format {version}, and this multihop reads {FORMAT}; {remedy}.")
    for name in [*FILES, *(name for name in (READER, LABELER, FILTER) if name in digests)]:
        if name not in digests or not (home / name).is_file():
            raise DamagedFileError(f"the encoder in {home} lacks {name}; {remedy}.")
        if file_digest(home / name) != digests[name]:
            raise DamagedFileError(f"the encoder in {home} is damaged, {name} is not as it was written; {remedy}.")
    return manifest.model_dump()


def network_file(folder: Path, name: str) -> str:
    """The file of an encoder's network: its judge's until the network of that name is trained."""
    return name if (folder / name).is_file() else JUDGE


def seal_encoder(folder: Path, description: dict[str, Any]) -> None:
    """Write the manifest of an encoder whose files are all there."""
    names = [*FILES, *(name for name in (READER, LABELER, FILTER) if (folder / name).is_file())]
    manifest = {"format": FORMAT, **description, "files": {name: file_digest(folder / name) for name in names}}
    write_record(folder / MANIFEST, manifest)


def file_digest(path: Path) -> str:
    """32 hexadecimal digits that stand for the file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def read_array(path: Path) -> "NDArray[Any]":
    """The array in a file: a plain view of it, since slices of NumPy's own class for that cost four times as much."""
    for _ in range(20):
        with suppress(SystemError):  # of CPython 3.11, where two threads parse the heads of such files at once
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
