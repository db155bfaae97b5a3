"""Model folders on the disk: what a folder holds, whether it is whole, and which it is. No weight is loaded."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ujson

from ...base import DamagedFileError, InputError, MismatchError, read_small
from ..gguf_engine.files import FOLDERS, fingerprint, model_folders

PREFIX = "folder:"
"""The beginning of the name of an LM that is a folder."""
IN_RUNS = f"multihop/{PREFIX}"
"""The same in the files of runs and saved programs, which have the folder's own name and a digest."""
CONFIG, ADAPTER, CLONE = "config.json", "adapter_config.json", "clone.json"
_WEIGHTS, _INDEX, _ADAPTER_WEIGHTS = "model.safetensors", "model.safetensors.index.json", "adapter_model.safetensors"
_PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "adapter_model.bin")
_WORDS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")
_TEMPLATES = ("chat_template.jinja", "chat_template.json")
_TOKENIZER = "tokenizer_config.json"
_BASE = "base_model_name_or_path"
_PINNED = re.compile(r"(.+)@([0-9a-f]{8})")
_DECLARED_AT_MOST = 1 << 27
"""Bytes that the description at the beginning of a file of weights has at most."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model."""

    path: Path
    base: str | None = None
    """The model that an adapter changes: a folder, a GGUF file, or a name on the hub; None for a whole model."""
    cloned_from: str | None = None
    """The model that it was before it was trained here; None for one that was not."""
    gguf: Path | None = None
    """The one file of a folder that holds a model for llama.cpp, and nothing else."""


def holds_model(path: Path) -> bool:
    """True if the folder is meant to hold a model, whole or not."""
    if not path.is_dir():
        return False
    return any((path / name).is_file() for name in (CONFIG, ADAPTER, CLONE)) or any(path.glob("*.gguf"))


def is_folder(name: str) -> bool:
    """True if the name is that of a model folder: "folder:PATH", also as runs have it, a path that no provider's name
    begins like, or one that is there.

    Examples:
        >>> from multihop.lms.transformers_engine.files import is_folder
        >>> is_folder("folder:clones/planner"), is_folder("./clones/planner"), is_folder("openai/gpt-4.1")
        (True, True, False)
    """
    return name.startswith((PREFIX, IN_RUNS, "/", "./", "../", "~")) or holds_model(Path(name).expanduser())


def find_folder(path: str | os.PathLike[str]) -> Path:
    """The folder at that path; or, for a name alone, the one here or else in a folder of `MULTIHOP_MODELS`.

    Raises:
        InputError: It is in none of them.
    """
    given = Path(path).expanduser()
    if given.is_dir():
        return given
    if given.name != str(given):
        raise InputError(f"there is no folder {given}.")
    found = next((folder / given for folder in model_folders() if (folder / given).is_dir()), None)
    if found is None:
        places = ", ".join(str(folder) for folder in (Path(), *model_folders()))
        raise InputError(f"there is no model folder {given} in {places}; name the folder it lies in with {FOLDERS}.")
    return found


def check_folder(path: Path) -> ModelFolder:
    """The folder, if it holds a whole model that answers in a conversation.

    Raises:
        InputError: It does not; the message says what is missing.
    """
    card = _read(path / CLONE) if (path / CLONE).is_file() else {}
    cloned_from = card.get("start_from")
    if (path / ADAPTER).is_file():
        base = _read(path / ADAPTER).get(_BASE)
        if not isinstance(base, str) or not base:
            raise InputError(f"{path / ADAPTER} names no model that the adapter changes ({_BASE}).")
        _check_weights(path, _ADAPTER_WEIGHTS)
        base = _check_base(path, base)
        folders = [path, Path(base)]
    elif (path / CONFIG).is_file():
        base, folders = None, [path]
        _read(path / CONFIG)
        for name in _parts(path):
            _check_weights(path, name)
    elif files := sorted(path.glob("*.gguf")):
        if len(files) > 1:
            listed = ", ".join(each.name for each in files)
            raise InputError(f"{path} holds {len(files)} GGUF files, {listed}; name one of them as gguf:PATH.")
        return ModelFolder(path, cloned_from=cloned_from, gguf=files[0])
    else:
        raise InputError(f"{path} holds no model: no {CONFIG}, no {ADAPTER} and no GGUF file.")
    if base is None or Path(base).is_dir():
        if not any((folder / name).is_file() for folder in folders for name in _WORDS):
            raise InputError(f"{path} has no tokenizer: none of {', '.join(_WORDS)} is there.")
        if not any(_has_template(folder) for folder in folders):
            raise InputError(
                f"{path} has no chat template: it is a base model, which goes on with a text and follows no "
                "instructions; take its instruct version, or save the tokenizer that it was trained with beside it."
            )
    return ModelFolder(path, base, cloned_from)


def digest_of(folder: ModelFolder) -> str:
    """Eight hexadecimal digits that tell one model from another: of its weights, its tokenizer and its chat template.

    A digest of an adapter is one of its base too, where that is on this machine.
    """
    digest = hashlib.blake2b(digest_size=4)
    for name in (CONFIG, *_WORDS, *_TEMPLATES, _TOKENIZER):
        if (folder.path / name).is_file():
            digest.update(name.encode() + (folder.path / name).read_bytes())
    for name in sorted(path.name for kind in ("*.safetensors", "*.gguf") for path in folder.path.glob(kind)):
        digest.update(f"{name} {fingerprint(folder.path / name)}".encode())
    if folder.base is not None:
        adapter = {key: value for key, value in _read(folder.path / ADAPTER).items() if key != _BASE}
        digest.update(ujson.dumps(adapter, sort_keys=True).encode())
        base = Path(folder.base)
        known = digest_of(check_folder(base)) if base.is_dir() else fingerprint(base) if base.is_file() else folder.base
        digest.update(known.encode())
    return digest.hexdigest()


def pinned(path: Path) -> str:
    """The name of the model in a folder with its digest, which whoever opens it later is held to."""
    folder = check_folder(path) if (path / ADAPTER).is_file() else ModelFolder(path)
    return f"{PREFIX}{path}@{digest_of(folder)}"


def split_digest(path: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The path of a folder and the digest that was written behind it with "@", if one was.

    Examples:
        >>> from multihop.lms.transformers_engine.files import split_digest
        >>> split_digest("clones/planner@7f17524e"), split_digest("clones/planner")
        (('clones/planner', '7f17524e'), ('clones/planner', None))
    """
    found = _PINNED.fullmatch(os.fspath(path))
    return (found[1], found[2]) if found else (os.fspath(path), None)


def check_digest(folder: ModelFolder, digest: str | None) -> None:
    """Refuse a folder that holds another model by now than the one of the digest.

    Raises:
        MismatchError: It does.
    """
    if digest is not None and (now := digest_of(folder)) != digest:
        raise MismatchError(
            f"{folder.path} holds another model by now ({now}) than the one that was named ({digest}); "
            "to use it all the same, name it without @ and what follows."
        )


def config_of(folder: ModelFolder) -> dict[str, Any]:
    """The model's description: that of its base, for an adapter; empty where it is not on this machine."""
    place = folder.path if folder.base is None else Path(folder.base)
    return _read(place / CONFIG) if (place / CONFIG).is_file() else {}


def _check_base(path: Path, base: str) -> str:
    """The base of an adapter, as a path where it is one: from here, or from the adapter's folder."""
    for place in (Path(base).expanduser(), path / base):
        if place.is_dir():
            check_folder(place)
            return str(place)
        if place.is_file():
            return str(place)
    if base.startswith((".", "/", "~")) or base.count("/") > 1 or base.endswith(".gguf"):
        raise InputError(f"{path} is an adapter of {base}, which is not there; put it there, or merge the adapter.")
    return base


def _parts(path: Path) -> list[str]:
    """The names of the files of weights."""
    if (path / _INDEX).is_file():
        listed = _read(path / _INDEX).get("weight_map")
        if not isinstance(listed, dict):
            raise DamagedFileError(f"{path / _INDEX} names no file of weights.")
        return sorted({str(name) for name in listed.values()})
    return [_WEIGHTS]


def _check_weights(path: Path, name: str) -> None:
    """Refuse a file of weights that is missing or shorter than its description says."""
    file = path / name
    if not file.is_file():
        if pickled := next((each for each in _PICKLED if (path / each).is_file()), None):
            raise InputError(
                f"{path} has its weights in {pickled}, a kind of file that can run code; save them as safetensors."
            )
        raise InputError(f"{path} has no weights: {name} is missing.")
    size = file.stat().st_size
    try:
        with open(file, "rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            if length > min(size, _DECLARED_AT_MOST):
                raise ValueError
            declared = ujson.loads(opened.read(length))
        ends = [each["data_offsets"][1] for tensor, each in declared.items() if tensor != "__metadata__"]
        whole = 8 + length + max(ends, default=0)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise DamagedFileError(f"{file} is damaged: its description cannot be read.") from None
    if whole != size:
        raise DamagedFileError(f"{file} is damaged: it has {size:,} bytes and should have {whole:,}.")


def _has_template(folder: Path) -> bool:
    if any((folder / name).is_file() for name in _TEMPLATES):
        return True
    return (folder / _TOKENIZER).is_file() and bool(_read(folder / _TOKENIZER).get("chat_template"))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = ujson.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise DamagedFileError(f"{path} is damaged: it is no JSON object.")
    return content
