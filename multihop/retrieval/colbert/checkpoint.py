"""A ColBERT checkpoint: the folder with its weights, its settings, and its identity."""

import hashlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ...base import DamagedFileError, InputError
from ...base.errors import first_line
from ...encoder.sentences.description import read_settings_file
from ...encoder.sentences.home import fetch_from_hub, is_hub_name, weight_files
from ...encoder.weights import file_digest

ARTIFACT = "artifact.metadata"
"""The file that makes a transformer's folder a ColBERT checkpoint: colbert-ai writes there how it was trained."""
USED: dict[str, type] = {
    "dim": int,
    "doc_maxlen": int,
    "query_maxlen": int,
    "mask_punctuation": bool,
    "attend_to_mask_tokens": bool,
    "interaction": str,
    "similarity": str,
    "query_token_id": str,
    "doc_token_id": str,
    "query_token": str,
    "doc_token": str,
}
"""The settings that decide how texts become vectors; the others are about the machine that trained the checkpoint."""
_PROJECTION = "linear.weight"
_DESCRIBING = ("*.json", ARTIFACT, "*.txt", "*.model")
_UNIT = 16
"""Dimensions whose two bits each fill whole bytes, as colbert-ai packs them."""


class LateCheckpoint(NamedTuple):
    """A checkpoint whose files have been looked at."""

    name: str
    """The folder, whole, or the name on the hub."""
    folder: str
    settings: dict[str, Any]
    """The settings of `USED` that the folder gives."""
    fingerprint: str
    """The same only for the same weights, used in the same way, wherever they are."""


def find_checkpoint(name: str | os.PathLike[str]) -> LateCheckpoint:
    """The checkpoint in a folder or of a name such as "colbert-ir/colbertv2.0", which is downloaded once.

    Raises:
        InputError: There is none, or it is a model of another kind, or it is damaged.
    """
    place = Path(name).expanduser()
    home = place.resolve() if place.is_dir() else _download(str(name))
    settings = _settings(home, str(name))
    weights = weight_files(home)
    if not weights or not any(_holds_projection(file) for file in weights):
        raise InputError(
            f"{name} is no ColBERT checkpoint: its weights have no '{_PROJECTION}', which makes the vectors of tokens; "
            "a sentence encoder goes with --retriever dense --encoder."
        )
    described = [home / each for each in ("tokenizer.json", "vocab.txt", "config.json")]
    digests = [settings, *(file_digest(file) for file in [*weights, *described] if file.is_file())]
    digest = hashlib.blake2b(ujson.dumps(digests, sort_keys=True).encode(), digest_size=8).hexdigest()
    known = str(home) if place.is_dir() else str(name)
    return LateCheckpoint(known, str(home), settings, digest)


def _settings(home: Path, name: str) -> dict[str, Any]:
    """The folder's settings for how texts become vectors."""
    if not (home / ARTIFACT).is_file():
        raise InputError(
            f"{name} is no ColBERT checkpoint: it has no {ARTIFACT}, which colbert-ai writes beside the weights; "
            "a sentence encoder goes with --retriever dense --encoder."
        )
    content = read_settings_file(home / ARTIFACT)
    content = content.get("config", content)
    settings = {key: content[key] for key in USED if content.get(key) is not None}
    for key, value in settings.items():
        if type(value) is not USED[key]:
            raise DamagedFileError(
                f"{home / ARTIFACT}: '{key}' is {value!r}, not a value of type {USED[key].__name__}."
            )
    if settings.get("dim", 128) % _UNIT:
        raise InputError(
            f"{name} makes vectors of {settings['dim']} numbers, and an index packs multiples of {_UNIT}; "
            "take a checkpoint of 96 or 128 dimensions."
        )
    if not (home / "config.json").is_file():
        raise InputError(f"{home} is no ColBERT checkpoint: it has no config.json.")
    if "auto_map" in read_settings_file(home / "config.json"):
        raise InputError(
            f"{name} brings code of its own ('auto_map' in its config.json), which is never run; "
            "take a checkpoint of an architecture that transformers has."
        )
    return settings


def _holds_projection(path: Path) -> bool:
    """True if one of the tensors in a file of weights is the projection to the vectors of tokens."""
    try:
        if path.suffix == ".safetensors":
            from safetensors import safe_open

            with safe_open(path, framework="pt") as file:
                return _PROJECTION in file.keys()  # noqa: SIM118 - it is no dictionary
        import torch

        return _PROJECTION in torch.load(path, map_location="meta", weights_only=True)
    except Exception as error:  # both have kinds of their own for a file they cannot read
        raise DamagedFileError(f"{path} cannot be read: {first_line(error).rstrip('.')}.") from error


def _download(name: str) -> Path:
    if Path(name).expanduser().exists() or not is_hub_name(name):
        raise InputError(f"{name} holds no checkpoint: it is neither a folder nor a name on the hub, OWNER/NAME.")
    return fetch_from_hub(
        name,
        [(*_DESCRIBING, weights) for weights in ("*.safetensors", "*.bin")],
        whole=lambda home: bool(weight_files(home)),
        lacking="no weights for PyTorch",
    )
