"""Writes that happen whole or not at all, and reads whose failures say what is wrong."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""The disk does not take it: no space left on it, for the user or in a file; it is broken, or read-only."""


@contextmanager
def writing(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """A file handle whose contents appear under `path` only when the block ends well.

    Examples:
        >>> import tempfile, pathlib
        >>> from multihop.base import writing
        >>> target = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
        >>> with writing(target) as file:
        ...     _ = file.write("whole")
        ...     target.exists()
        False
        >>> target.read_text()
        'whole'
    """
    target = Path(path).expanduser()
    if target.exists() and not target.is_file():  # a device would be replaced by a file, for all who use it
        raise InputError(f"cannot write {target}: it exists and is not a file; choose another name.")
    encoding = None if "b" in mode else "utf-8"
    scratch = _scratch_beside(target)
    with naming_refusals(target, of_disk=False):
        handle = open(scratch, mode.replace("w", "x"), encoding=encoding)  # noqa: SIM115 - closed before it is renamed
    try:
        with naming_refusals(target), handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(scratch, target)
    except BaseException:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise


@contextmanager
def writing_folder(path: str | os.PathLike[str], *, marker: str) -> Iterator[Path]:
    """A scratch folder that becomes `path` only when the block ends well.

    An existing folder is replaced only if it holds `marker`, the file that shows it is one of ours. Where the disk is
    full, one sentence says so, and what was there is as it was.
    """
    target = Path(path).expanduser()
    replaceable = target.is_dir() and ((target / marker).is_file() or not any(target.iterdir()))
    if target.exists() and not replaceable:
        raise InputError(f"{target} exists and is not ours to replace (no {marker} in it); choose another folder.")
    scratch = _scratch_beside(target)
    with naming_refusals(target, of_disk=False):
        scratch.mkdir()
    try:
        with naming_refusals(target):
            yield scratch
        if target.exists():
            old = scratch.with_suffix(".old")
            target.rename(old)
            scratch.rename(target)
            shutil.rmtree(old)
        else:
            scratch.rename(target)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def flush_folder(folder: str | os.PathLike[str], *, files: bool = True) -> None:
    """Wait until a folder is on the disk: the names in it and, with `files`, the files that have them.

    Once that is done, a power cut takes nothing of it.
    """
    paths = [path for path in Path(folder).iterdir() if path.is_file()] if files else []
    with naming_refusals(folder, of_disk=False):
        for path in (*paths, folder):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


@contextmanager
def naming_refusals(target: str | os.PathLike[str], *, of_disk: bool = True) -> Iterator[None]:
    """Turn errors of what the block writes into an InputError that names the target; by default the disk's refusals."""
    try:
        yield
    except OSError as error:
        if of_disk and error.errno not in _REFUSED:
            raise
        raise InputError(f"cannot write {target}: {error.strerror}.") from error


def _scratch_beside(target: Path) -> Path:
    """A name that nobody else has. Made like any other, what gets it has the permissions that the user's umask leaves.

    `tempfile` would make it for the user alone, and what the umask is can be asked only by changing it for a moment,
    for all threads.
    """
    parent = target.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {parent} is not a folder that can be made ({error.strerror})."
        ) from error
    return parent / f".{target.name}.{secrets.token_hex(4)}.part"


def read_array(path: Path) -> "NDArray[Any]":
    """The array in a file: a plain view of it, since slices of NumPy's own class for that cost four times as much.

    NumPy parses the head of a file as Python does its own, and where two threads do that at once, CPython 3.11 may fail
    one of them with a SystemError, though nothing is wrong; it is then read again.
    """
    import numpy as np

    for _ in range(20):
        with suppress(SystemError):
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
