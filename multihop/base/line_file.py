"""A file that grows by whole lines, whatever the disk does.

Nothing is buffered here, so no byte reaches the file later than its `append`: a write that is cut short or fails is cut
off at once. Where even that fails, nothing more is written until it succeeds; whoever reads the file meanwhile finds,
after the last whole line, a part without its newline, and leaves it out.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

from .errors import InputError

RESERVE = 1 << 15
"""Bytes that are kept ready for lines that must not be lost."""
_BLANK = b" "


class LineFile:
    r"""The one writer of a file of lines; one thread at a time.

    With a reserve, blanks stand behind the last line while the file is open: room that the disk has given already. So
    a line that is on its way when the disk fills is written nevertheless.
    """

    def __init__(self, path: str | os.PathLike[str], end: int = 0, *, reserve: int = 0) -> None:
        """Open the file, and cut off what stands behind its last whole line.

        Args:
            path: The file, which need not be there yet.
            end: The place at which its last whole line ends.
            reserve: Bytes to be kept ready behind it.

        Raises:
            InputError: The file cannot be written.
        """
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
        """Add whole lines; on return the file has them, or, with an error, none of them.

        Args:
            lines: Whole lines.
            sync: Wait until they are on the disk.
            from_reserve: They may be written where nothing but the reserve is left.

        Returns:
            The place at which they start.

        Raises:
            InputError: The disk does not take them.
        """
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
        """Refuse to begin what must be written down later, if there is no reserve for it.

        Raises:
            InputError: The disk gives no room.
        """
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
        needed = self.end + size + (0 if from_reserve else self._reserve)
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
