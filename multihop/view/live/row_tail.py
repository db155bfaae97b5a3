"""The rows that a run's journal has gained since one last looked, without reading the others again."""

import os
from collections.abc import Iterator
from pathlib import Path

from ...base import DamagedFileError
from ...base.ordinary_files import whole_lines
from ...evaluation.journal.journal import ROWS, row_of
from ...evaluation.journal.row import Row


class RowTail:
    """Reads a journal that somebody else writes."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Nothing is read yet."""
        self.path = Path(folder) / ROWS
        self._end = 0

    def is_cut(self) -> bool:
        """True if rows that were read are there no more: the disk did not take them, or the run was begun anew."""
        return self.path.exists() and self.path.stat().st_size < self._end

    def new_rows(self) -> Iterator[Row]:
        """The rows behind those that were read; a last line that is still being written waits for its end.

        Raises:
            InputError: It is no ordinary file.
            DamagedFileError: A line is no row.
        """
        if not self.path.exists():
            return
        for line in whole_lines(self.path, start=self._end):
            if (row := row_of(line)) is None:
                raise DamagedFileError(f"{self.path}: the line from byte {self._end:,} on is damaged.")
            self._end += len(line)
            yield row

    def seconds_since_last(self, now: float) -> float | None:
        """Seconds since something was written; None before anything was."""
        return max(now - self.path.stat().st_mtime, 0.0) if self.path.exists() and self._end else None
