"""A place where one program is shared, as a few files that are taken or left whole."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

PROGRAM, CARD = "program.json", "README.md"
"""The files of a place: the saved program, and its card. No other is ever taken or written."""


class Contents(NamedTuple):
    """The files of a place, as they were when it was looked at."""

    files: dict[str, int]
    """Bytes by path."""
    public: bool | None = None
    """True if everybody may read it; None where permissions say who."""
    revision: str = ""
    """The commit that was looked at; empty where there is none."""
    new_branch: bool = False
    """True if the place is there, and the revision that was asked for is not."""


class Place(Protocol):
    """A place where one program is shared."""

    address: str
    """The place as its user writes it."""
    title: str
    """Its last part, by which a program from there is called."""

    def look(self) -> Contents | None:
        """The files that are there; None where there is no such place yet.

        Raises:
            InputError: It cannot be reached.
        """

    def read(self, path: str) -> bytes:
        """One of its files, whole and checked.

        Raises:
            InputError: It is not there, is too large, or did not come whole.
        """

    def write(self, files: Mapping[str, bytes], *, public: bool, found: Contents | None, message: str) -> str:
        """Put all files there, or none; and where they can be looked at.

        Args:
            files: Contents by path.
            public: True if a place that is made for them may be read by everybody.
            found: What `look` found there.
            message: What is said of the change, where the place keeps such a record.

        Raises:
            InputError: They cannot be put there.
        """
