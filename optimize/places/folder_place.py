"""A folder laid out like a repository of the hub: to share on a disk, or to be uploaded by other means."""

import os
from collections.abc import Mapping
from pathlib import Path

from ...base import InputError, read_small, writing
from .place import Contents

PREFIX = "file:"


class FolderPlace:
    """A folder on this machine."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Nothing is looked at yet.

        Args:
            folder: The folder, which need not be there yet.
        """
        self.folder = Path(folder).expanduser()
        self.address, self.title = f"{PREFIX}{os.fspath(folder)}", self.folder.resolve().name

    def look(self) -> Contents | None:
        """The files in the folder itself; a hub's repository may have others below it."""
        try:
            entries = sorted(self.folder.iterdir())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.folder} cannot be read: {error.strerror}.") from error
        return Contents({each.name: each.stat().st_size for each in entries if each.is_file()})

    def read(self, path: str) -> bytes:
        """One of its files."""
        try:
            return read_small(self.folder / path)
        except OSError as error:
            raise InputError(f"{self.folder / path} cannot be read: {error.strerror}.") from error

    def write(self, files: Mapping[str, bytes], *, public: bool, found: Contents | None, message: str) -> str:
        """Put the files there, each whole, in their order."""
        if public:
            raise InputError("--public is for hf://OWNER/NAME; who may read a folder, its permissions say.")
        for path, content in files.items():
            with writing(self.folder / path, "wb") as file:
                file.write(content)
        return os.fspath(self.folder)
