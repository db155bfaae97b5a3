"""The folder of a sentence encoder: one that is here, or one from the hub."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ...base import InputError
from ...base.errors import first_line

ONNX_FILES = ("onnx/model.onnx", "model.onnx")
"""The places of the network in a folder, in the order they are tried."""
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
"""The same for PyTorch; large ones are in several files, named by an index of the first name."""
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_DESCRIBING = ("*.json", "*/config.json", "*_Dense/*")
_here_alone: ContextVar[bool] = ContextVar("multihop_here_alone", default=False)
_NETWORK = (*ONNX_FILES, *(f"{name}_data" for name in ONNX_FILES))


def encoder_home(name: str | os.PathLike[str]) -> Path:
    """The folder of an encoder, given the folder or a name such as "intfloat/e5-base-v2".

    From the hub come its descriptions and its ONNX file, or, where it has none, its weights; what is here already is
    used as it is.

    Raises:
        InputError: It is neither a folder nor a name on the hub that can be reached.
    """
    home = Path(name).expanduser()
    if home.is_dir():
        return home.resolve()
    if home.exists() or not is_hub_name(str(name)):
        raise InputError(f"{name} holds no encoder: it is neither a folder nor a name on the hub, OWNER/NAME.")
    return _download(str(name))


def onnx_file(home: Path) -> Path | None:
    """The network of a folder as ONNX; one under another name counts where it is the only one."""
    named = [home / name for name in ONNX_FILES if (home / name).is_file()]
    others = sorted([*home.glob("*.onnx"), *home.glob("onnx/*.onnx")])
    return named[0] if named else others[0] if len(others) == 1 else None


def weight_files(home: Path) -> list[Path]:
    """The weights for PyTorch, in all their parts."""
    for name in WEIGHTS:
        stem, _, ending = name.rpartition(".")
        files = [home / name] if (home / name).is_file() else sorted(home.glob(f"{stem}-*-of-*.{ending}"))
        if files:
            return files
    return []


def _download(name: str) -> Path:
    return fetch_from_hub(
        name,
        [(*_DESCRIBING, *patterns) for patterns in (_NETWORK, ("*.safetensors",), ("*.bin",))],
        whole=lambda home: bool(onnx_file(home) or weight_files(home)),
        lacking="neither an ONNX file nor weights for PyTorch",
    )


def fetch_from_hub(
    name: str, attempts: Sequence[Sequence[str]], *, whole: Callable[[Path], bool], lacking: str
) -> Path:
    """The folder with the files of a name on the hub, downloaded once.

    Args:
        name: OWNER/NAME.
        attempts: Patterns of the files to download; each next ones only if the folder is not whole yet.
        whole: Returns True if a folder has all that is needed.
        lacking: The error's words for a folder that none of them makes whole.

    Raises:
        InputError: There is no such name, or it cannot be reached, or it lacks what is needed.
    """
    from huggingface_hub import snapshot_download

    try:
        for patterns in attempts:
            home = Path(snapshot_download(name, allow_patterns=list(patterns), local_files_only=_here_alone.get()))
            if whole(home):
                return home
    except Exception as error:  # the library has many: no such name, no network, no room
        raise InputError(
            f"{name} is no folder here, and cannot be had from the hub: {first_line(error).rstrip('.')}."
        ) from error
    raise InputError(f"{name} on the hub has {lacking}.")


@contextmanager
def fetching_nothing() -> Iterator[None]:
    """In the block, what is asked of the hub must be on this machine already; the hub is not contacted."""
    before = _here_alone.set(True)
    try:
        yield
    finally:
        _here_alone.reset(before)


def is_fetched(name: str) -> bool:
    """True if an encoder of that name was fetched from the hub before; the hub is not contacted.

    Examples:
        >>> from multihop.encoder.sentences.home import is_fetched
        >>> is_fetched("nobody/nothing")
        False
    """
    try:
        with fetching_nothing():
            fetch_from_hub(
                name, [()], whole=lambda home: bool(onnx_file(home) or weight_files(home)), lacking="nothing"
            )
    except InputError:
        return False
    return True


def is_hub_name(name: str) -> bool:
    """True if it is written as a name on the hub, OWNER/NAME.

    Examples:
        >>> from multihop.encoder.sentences.home import is_hub_name
        >>> is_hub_name("intfloat/e5-base-v2"), is_hub_name("models/mine/last")
        (True, False)
    """
    return _HUB_NAME.fullmatch(name) is not None
