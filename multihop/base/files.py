"""Writes that happen whole or not at all, and reads whose failures say what is wrong."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .errors import InputError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space left, on the disk, for the user, or in a file."""


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
    parent = _existing_parent(target)
    with _name_target(target):
        handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed below, so it must outlive a `with`
            mode, dir=parent, prefix=f".{target.name}.", suffix=".part", delete=False, encoding=encoding
        )
    try:
        with handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.chmod(handle.name, 0o666 & ~_umask())
        os.replace(handle.name, target)
    except BaseException:
        Path(handle.name).unlink(missing_ok=True)
        raise


@contextmanager
def writing_folder(path: str | os.PathLike[str], *, marker: str) -> Iterator[Path]:
    """A scratch folder that becomes `path` only when the block ends well.

    An existing folder is replaced only if it holds `marker`, the file that shows it is one of ours. Where the disk is
    full, one sentence says so, and what was there is as it was.
    """
    target = Path(path).expanduser()
    if target.exists() and not _replaceable(target, marker):
        raise InputError(f"{target} exists and is not ours to replace (no {marker} in it); choose another folder.")
    parent = _existing_parent(target)
    with _name_target(target):
        scratch = Path(tempfile.mkdtemp(dir=parent, prefix=f".{target.name}.", suffix=".part"))
    try:
        yield scratch
        scratch.chmod(0o777 & ~_umask())
        if target.exists():
            old = scratch.with_suffix(".old")
            target.rename(old)
            scratch.rename(target)
            shutil.rmtree(old)
        else:
            scratch.rename(target)
    except BaseException as error:
        shutil.rmtree(scratch, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in _FULL:
            raise InputError(f"cannot write {target}: {error.strerror}.") from error
        raise


def _replaceable(target: Path, marker: str) -> bool:
    return target.is_dir() and ((target / marker).is_file() or not any(target.iterdir()))


def _existing_parent(target: Path) -> Path:
    parent = target.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {parent} is not a folder that can be made ({error.strerror})."
        ) from error
    return parent


@contextmanager
def _name_target(target: Path) -> Iterator[None]:
    """Nobody knows the scratch file, so an error names the target."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror}.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
