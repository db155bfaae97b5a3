"""Models that others have trained: their folders, here or fetched from the Hugging Face Hub, and their identity."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import Any

import ujson

from ..base import InputError
from ..base.errors import first_line
from .weights import file_digest

WEIGHTS = ("*.safetensors", "*.bin")
"""The files of weights; older models have the second kind alone."""
_DESCRIBING = ("*.json", "*.txt", "*.model", "*.metadata")
_FOR_OTHERS = ("onnx/*", "openvino/*")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_here_alone: ContextVar[bool] = ContextVar("multihop_here_alone", default=False)


def model_folder(name: str | os.PathLike[str], kind: str) -> Path:
    """The folder of a model of a kind, given the folder or a name such as "intfloat/e5-base-v2", fetched once."""
    from huggingface_hub import snapshot_download

    home = Path(name).expanduser()
    if home.is_dir():
        return home.resolve()
    if home.exists() or not _HUB_NAME.fullmatch(str(name)):
        raise InputError(f"{name} holds no {kind}: it is neither a folder nor a name on the hub, OWNER/NAME.")
    alone = _here_alone.get()
    try:
        for weights in WEIGHTS:
            patterns = [*_DESCRIBING, weights]
            home = Path(
                snapshot_download(
                    str(name), allow_patterns=patterns, ignore_patterns=list(_FOR_OTHERS), local_files_only=alone
                )
            )
            if any(home.glob(weights)):
                return home
    except Exception as error:  # the library has many: no such name, no network, no room
        why = f"cannot be had from the hub: {first_line(error).rstrip('.')}"
        if alone:
            why = f"is not fetched because a file names it; `hf download {name}` fetches it"
        raise InputError(f"{name} is no folder here, and {why}.") from error
    raise InputError(f"{name} on the hub has no weights for PyTorch.")


def model_fingerprint(home: Path) -> str:
    """16 digits that are the same only for the same weights, tokenizer and settings, wherever the folder is."""
    names = sorted(
        path.relative_to(home).as_posix()
        for pattern in (*_DESCRIBING, *WEIGHTS)
        for path in home.rglob(pattern)
        if path.relative_to(home).parts[0] not in ("onnx", "openvino")
    )
    digests = [(name, file_digest(home / name)) for name in names]
    return blake2b(ujson.dumps(digests).encode(), digest_size=8).hexdigest()


@contextmanager
def fetching_nothing() -> Iterator[None]:
    """In the block, what is asked of the hub must be on this machine already; the hub is not contacted."""
    before = _here_alone.set(True)
    try:
        yield
    finally:
        _here_alone.reset(before)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """A block without transformers' report and progress bar for a model it loads: weights unused here are meant so."""
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
