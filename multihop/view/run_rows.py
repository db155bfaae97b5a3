"""The rows of a run that count, one at a time, however many there are."""

import os
from collections.abc import Iterator

from ..base import DamagedFileError, InputError
from ..evaluation.journal.journal import read_rows
from ..evaluation.journal.row import Row

NEEDED = ("question", "answers", "supporting", "answer", "metrics", "passages", "evidence", "trajectory", "cost")
"""The fields that every row has."""


class RunRows:
    """The rows of a run's journal; which of them count is known once `every` has been gone through."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = folder
        self._last: dict[str, int] = {}

    def every(self) -> Iterator[Row]:
        """All rows as they were written.

        Raises:
            InputError: The run has no finished question.
        """
        for place, row in enumerate(read_rows(self.folder)):
            self._last[row["id"]] = place
            yield row
        if not self._last:
            raise InputError(f"{self.folder} is a run without a finished question; there is nothing to show.")

    def counting(self) -> Iterator[Row]:
        """The last row of each question.

        Raises:
            DamagedFileError: A row lacks what every row has.
        """
        for place, row in enumerate(read_rows(self.folder)):
            if self._last.get(row["id"]) != place:
                continue
            if missing := [name for name in NEEDED if name not in row]:
                raise DamagedFileError(
                    f"{self.folder}: the row of question '{row['id']}' is damaged: it lacks '{missing[0]}'."
                )
            yield row
