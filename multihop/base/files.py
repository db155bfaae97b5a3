"""Files written whole or not at all, files that grow by whole lines, and reads that check size, kind and content."""

import errno
import math
import os
import secrets
import shutil
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import ujson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from .errors import DamagedFileError, InputError

_T = TypeVar("_T")
_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""The disk does not take it: no space left on it, for the user or in a file; it is broken, or read-only."""
SMALL = 50_000_000
"""Bytes of a file that is read whole: a description, a program with all its demonstrations."""
LONGEST_RECORD = 1 << 28
"""Bytes of a record's line: a row with its whole search has some thousand."""
_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
RESERVE = 1 << 15
"""Bytes that are kept ready for lines that must not be lost."""
_BLANK = b" "


@contextmanager
def writing(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """A file handle whose contents appear under `path` only when the block ends well."""
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


def write_record(path: str | os.PathLike[str], record: Any) -> None:
    """Write a record as indented JSON; the file appears whole."""
    with writing(path) as file:
        ujson.dump(record, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)


@contextmanager
def writing_folder(path: str | os.PathLike[str], *, marker: str) -> Iterator[Path]:
    """A scratch folder that becomes `path` when the block ends well; only a folder with `marker` in it is replaced."""
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
    """Wait until a folder is on the disk, safe from a power cut: the names in it and, with `files`, its files."""
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


@contextmanager
def only_writer(lock: Path, busy: str) -> Iterator[None]:
    """A block in which no other process holds the lock, a file whose folder is made; where one does, it is `busy`."""
    from filelock import FileLock, Timeout

    with naming_refusals(lock.parent, of_disk=False):
        lock.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock)
        try:
            held.acquire(timeout=0)
        except Timeout:
            raise InputError(busy) from None
    try:
        yield
    finally:
        held.release()


def _scratch_beside(target: Path) -> Path:
    """A free name beside the target; `tempfile` would make the file for the user alone, against the umask."""
    parent = target.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {parent} is not a folder that can be made ({error.strerror})."
        ) from error
    return parent / f".{target.name}.{secrets.token_hex(4)}.part"


def open_ordinary(path: str | os.PathLike[str]) -> IO[bytes]:
    """The bytes of an ordinary file; a device, a pipe or a socket, which may have no end, is refused."""
    mode = os.stat(path).st_mode  # before it is opened, which with a device may do something
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        kind = _KINDS.get(stat.S_IFMT(mode), "no file")
        raise InputError(
            f"{os.fspath(path)} is {kind}, and only ordinary files are read; copy what it gives into a file."
        )
    return open(path, "rb", opener=_without_waiting)


def read_small(path: str | os.PathLike[str], *, most: int = SMALL) -> bytes:
    """All bytes of an ordinary file, which has at most `most`."""
    try:
        with open_ordinary(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error
    if len(content) > most:
        raise DamagedFileError(f"{os.fspath(path)} has more than {most:,} bytes, which no file of its kind has.")
    return content


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        return tomllib.loads(read_small(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None


def whole_lines(path: str | os.PathLike[str], *, start: int = 0) -> Iterator[bytes]:
    """The whole lines of an ordinary file of records, from a place in it on; a last one without its end is left out."""
    with open_ordinary(path) as file:
        file.seek(start)
        while (line := file.readline(LONGEST_RECORD + 1)).endswith(b"\n"):
            yield line
        if len(line) > LONGEST_RECORD:
            raise DamagedFileError(
                f"{os.fspath(path)} has a line of more than {LONGEST_RECORD:,} bytes; it is no file of records."
            )


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class FileModel(BaseModel):
    """The content of a file: no other names than its fields, and no number that is not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers are finite")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _finite(each)
    return value


FiniteJson = Annotated[JsonValue, AfterValidator(_finite)]
"""Any JSON value without NaN and infinities, for fields whose content is somebody else's."""
MOST = 10**12
"""Every number of a record is nearer to 0, so that all of them can be added up."""
Amount = Annotated[float, Field(ge=0, lt=MOST)]


def parsed(kind: type[_T], content: bytes | str, path: str | os.PathLike[str], what: str) -> _T:
    """The JSON of a file as the type that it should have; `what` is the file in words, for a refusal."""
    try:
        found: _T = _adapter(kind).validate_json(content)  # type: ignore[arg-type]
        return found
    except ValidationError as error:
        raise DamagedFileError(f"{os.fspath(path)} is damaged, or is not {what}: {misfit(error)}.") from error


def misfit(error: ValidationError) -> str:
    """The first problem that pydantic found, after the name of the field that has it."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))[:80]
    says = first["msg"].removeprefix("Value error, ")
    says = f"{says[:1].lower()}{says[1:]}"
    return f"{place}: {says}"[:200] if place else says[:200]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


class LineFile:
    """The one writer of a file that grows by whole lines, whatever the disk does; one thread at a time.

    Nothing is buffered here: a write that is cut short or fails is cut off at once. Where even that fails, nothing more
    is written until it succeeds; a reader of the file meanwhile finds, after the last whole line, a part without its
    newline, and leaves it out.

    With a reserve, blanks stand behind the last line while the file is open: room that the disk has given already. So
    a line that is on its way when the disk fills is written nevertheless.
    """

    def __init__(self, path: str | os.PathLike[str], end: int = 0, *, reserve: int = 0) -> None:
        """Open the file, which need not be there yet, and cut off what stands behind `end`, its last whole line."""
        self.path, self.end, self._reserve = Path(path), end, reserve
        self._given = end  # so far the disk has given room
        self._cut = True  # nothing stands behind that
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise self._refusal(error) from error
        try:
            os.ftruncate(self._file, end)
        except OSError as error:
            os.close(self._file)
            raise self._refusal(error) from error

    def append(self, lines: bytes, *, sync: bool = False, from_reserve: bool = False) -> int:
        """Add whole lines, and return where they start; on an error the file has none of them."""
        try:
            self._make_room(len(lines), from_reserve)
            try:
                self._write(lines, self.end)
                if sync:
                    os.fsync(self._file)
            except BaseException:
                self._give_up()
                raise
        except OSError as error:
            raise self._refusal(error) from error
        start, self.end = self.end, self.end + len(lines)
        self._given = max(self._given, self.end)
        return start

    def check(self) -> None:
        """Refuse to begin what must be written down later, if there is no reserve for it."""
        try:
            self._make_room(0)
        except OSError as error:
            raise self._refusal(error) from error

    def read(self, start: int, end: int) -> bytes:
        """The bytes between these places."""
        return os.pread(self._file, end - start, start)

    def close(self) -> None:
        """Cut off the reserve, and close the file."""
        try:
            os.ftruncate(self._file, self.end)
        except OSError:
            pass  # blanks, or a part of a line, without a newline: no reader takes it for a line
        finally:
            os.close(self._file)

    def _make_room(self, size: int, from_reserve: bool = False) -> None:
        """See that there is room for so many bytes and the reserve behind them; for more, not to ask each time."""
        self._cut_off()
        needed = self.end + size + (0 if from_reserve else self._reserve)  # a line from the reserve may use it up
        if self._reserve and self._given < self.end + size + self._reserve:
            try:
                self._write(_BLANK * (self.end + size + 2 * self._reserve - self._given), self._given)
            except OSError:
                if self._given < needed:
                    raise

    def _write(self, data: bytes, at: int) -> None:
        """Write it all, in as many pieces as the disk takes it in."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file, rest, at)
            if not written:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            rest, at = rest[written:], at + written
            self._given = max(self._given, at)

    def _give_up(self) -> None:
        """Cut off what of the lines has been written."""
        self._cut = False
        with suppress(OSError):  # else the next line waits for it
            self._cut_off()

    def _cut_off(self) -> None:
        if not self._cut:
            os.ftruncate(self._file, self.end)
            self._given, self._cut = self.end, True

    def _refusal(self, error: OSError) -> InputError:
        return InputError(f"cannot write to {self.path}: {error.strerror}.")
