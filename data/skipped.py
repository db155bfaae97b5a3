"""Bad records: refused, or left out up to a limit and counted."""

from __future__ import annotations

from collections.abc import Callable

from ..base import InputError, reword

SHOWN = 3
OnBad = Callable[[InputError], None]
"""A function called with the error of each record that cannot be used; it raises, or the record is left out."""


def refuse(error: InputError) -> None:
    """Leave nothing out: the first bad record is an error."""
    raise error


class Skipped:
    """The number of bad records left out, and the errors of the first three.

    Examples:
        >>> from multihop.base import InputError
        >>> from multihop.data.skipped import Skipped
        >>> skipped = Skipped(most=2)
        >>> skipped(InputError("mine.jsonl, line 3: 'question' is empty."))
        >>> print(skipped)
        1 bad record was left out: mine.jsonl, line 3: 'question' is empty.
    """

    def __init__(self, most: int = 0) -> None:
        """None so far.

        Args:
            most: The number of records that may be left out; the next one is refused.
        """
        if most < 0:
            raise InputError(f"the number of bad records to leave out must be 0 or more, not {most}.")
        self.most = most
        self.count = 0
        """The number of records left out."""
        self.reasons: list[str] = []
        """The errors of the first three, each with its place."""

    def __call__(self, error: InputError) -> None:
        """Count one more, or refuse it where that is too many."""
        if self.count == self.most:
            if self.most:
                raise reword(
                    error, f"{error} That is one more than the {self.most} bad records to leave out."
                ) from error
            raise error
        self.count += 1
        if len(self.reasons) < SHOWN:
            self.reasons.append(str(error))

    def __str__(self) -> str:
        """The count and the first reasons, on one line."""
        records = "1 bad record was" if self.count == 1 else f"{self.count:,} bad records were"
        first = f": {' '.join(self.reasons)}" if self.reasons else "."
        return f"{records} left out{', the first' if self.count > SHOWN else ''}{first}"
