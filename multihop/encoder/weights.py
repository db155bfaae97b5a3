"""The folder of an encoder, and its manifest with the checksums of its files."""

import hashlib
import os
from pathlib import Path
from typing import Any

import ujson

from ..base import DamagedFileError, InputError, MismatchError

BUILT_IN = Path(__file__).parent / "built_in"
MANIFEST = "encoder.json"
FORMAT = 3
FILES = ("vectors.npy", "scales.npy", "embed.onnx", "judge.onnx", "tokenizer.json")
"""The word vectors, a row of bytes a token; the factor of each row; the two networks; the tokenizer."""
READER = "reader.onnx"
"""The network that reads; an encoder has one once it is trained."""


def read_encoder_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The encoder's manifest, after every file has been compared with it.

    Raises:
        InputError: There is no encoder, or it is damaged or of another format.
    """
    home = Path(folder)
    remedy = "reinstall multihop" if home == BUILT_IN else "make it again with `multihop train`"
    if not (home / MANIFEST).is_file():
        raise InputError(f"{home} holds no encoder, it has no {MANIFEST}; {remedy}.")
    try:
        manifest: dict[str, Any] = ujson.loads((home / MANIFEST).read_bytes())
        version, digests = manifest["format"], manifest["files"]
        missing = [name for name in FILES if name not in digests]
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedFileError(f"{home / MANIFEST} is damaged; {remedy}.") from error
    if version != FORMAT:
        raise MismatchError(f"{home} holds an encoder of format {version}, and this multihop reads {FORMAT}; {remedy}.")
    for name in [*FILES, *({READER} & digests.keys())]:
        if name in missing or not (home / name).is_file():
            raise DamagedFileError(f"the encoder in {home} lacks {name}; {remedy}.")
        if file_digest(home / name) != digests[name]:
            raise DamagedFileError(f"the encoder in {home} is damaged, {name} is not as it was written; {remedy}.")
    return manifest


def reader_file(folder: Path) -> str:
    """The network of an encoder that reads: its judge until a reader is trained."""
    return READER if (folder / READER).is_file() else "judge.onnx"


def seal_encoder(folder: Path, description: dict[str, Any]) -> None:
    """Write the manifest of an encoder whose files are all there."""
    names = [*FILES, *([READER] if (folder / READER).is_file() else [])]
    manifest = {"format": FORMAT, **description, "files": {name: file_digest(folder / name) for name in names}}
    text = ujson.dumps(manifest, indent=2, ensure_ascii=False, escape_forward_slashes=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def file_digest(path: Path) -> str:
    """32 hexadecimal digits that stand for the file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
