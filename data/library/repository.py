"""The place of a set's files: a repository on the hub, or a copy of it in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ...base import DamagedFileError, InputError
from .manifest import SourceFile, checksum

BLOCK = 8 << 20
"""Bytes that are asked for at once; what is asked for and has not come is lost where a download breaks off."""

WatchDownload = Callable[[str, int, int], None]
"""A function called as files are downloaded: with a file's path, the bytes that are here already, and all bytes."""


class RemoteFile(NamedTuple):
    """A file of a repository."""

    path: str
    """Its path in the repository."""
    size: int
    """Bytes."""
    kind: str
    """The kind of checksum that the hub gives: "sha256", "git", or empty for a copy in a folder."""
    digest: str
    """That checksum."""


class CopiedRepository:
    """A copy of a repository in a folder, for machines that do not reach the hub."""

    def __init__(self, folder: str | os.PathLike[str], name: str) -> None:
        """Nothing is read yet.

        Args:
            folder: The folder.
            name: The repository that it is a copy of.
        """
        self.folder, self.name = Path(folder).expanduser(), name
        if not self.folder.is_dir():
            raise InputError(f"{folder} is not a folder; give --from the folder that a copy of {name} is in.")

    def find(self, pattern: str) -> Sequence[RemoteFile]:
        """The files of that path below the folder."""
        found = [file for file in sorted(self.folder.glob(pattern)) if file.is_file()]
        if not found:
            raise InputError(f"{self.folder} holds no {pattern}; give --from a copy of {self.name} as it is there.")
        return [RemoteFile(file.relative_to(self.folder).as_posix(), file.stat().st_size, "", "") for file in found]

    def bring(self, file: RemoteFile, parts: Path) -> tuple[Path, SourceFile]:
        """The file where it is, and what it is."""
        path = self.folder / file.path
        return path, {"repository": str(self.folder), "revision": "", "path": file.path, "sha256": checksum(path)}


class HubRepository:
    """A repository of data sets on the hub, at the revision that is its newest when it is first looked at."""

    def __init__(self, name: str, *, watch: WatchDownload | None = None) -> None:
        """Nothing is asked for yet.

        Args:
            name: OWNER/NAME.
            watch: Told of each download.
        """
        self.name, self._watch = name, watch or (lambda path, done, size: None)
        # The hub's library reads the variable when it is imported; a mirror may be named later.
        self._endpoint = os.environ.get("HF_ENDPOINT") or None
        self._revision, self._files = "", dict[str, RemoteFile]()

    def find(self, pattern: str) -> Sequence[RemoteFile]:
        """The files of that path in the repository."""
        if not self._revision:
            self._list()
        found = [file for path, file in sorted(self._files.items()) if fnmatchcase(path, pattern)]
        if not found:
            raise InputError(
                f"the hub's {self.name} holds no {pattern} any more; take another set, or a copy of the repository "
                "as it was with --from FOLDER."
            )
        return found

    def bring(self, file: RemoteFile, parts: Path) -> tuple[Path, SourceFile]:
        """The file, whole and checked, and what it is; a download that broke off goes on in the folder `parts`."""
        target = parts / self._revision / file.path
        if not target.exists():
            self._download(file, target)
        sha256 = checksum(target)
        if (sha256 if file.kind == "sha256" else checksum(target, kind=file.kind)) != file.digest:
            target.unlink()
            raise DamagedFileError(
                f"{file.path} of {self.name} came with another checksum than the hub has for it, and was deleted; the "
                "same command gets it again."
            )
        return target, {"repository": self.name, "revision": self._revision, "path": file.path, "sha256": sha256}

    @cached_property
    def _hub(self) -> Any:
        from huggingface_hub import HfFileSystem

        return HfFileSystem(endpoint=self._endpoint, skip_instance_cache=True)

    def _list(self) -> None:
        from huggingface_hub import HfApi, RepoFile

        api = HfApi(endpoint=self._endpoint)
        try:
            self._revision = str(api.dataset_info(self.name).sha)
            tree = api.list_repo_tree(self.name, repo_type="dataset", recursive=True, revision=self._revision)
            files = [entry for entry in tree if isinstance(entry, RepoFile)]
        except Exception as error:
            raise self._failure(error) from error
        self._files = {
            file.path: RemoteFile(file.path, file.size, "sha256", file.lfs.sha256)
            if file.lfs
            else RemoteFile(file.path, file.size, "git", file.blob_id)
            for file in files
        }

    def _download(self, file: RemoteFile, target: Path) -> None:
        """Add what is missing to what came before, and move the whole to its place."""
        part = target.with_name(f"{target.name}.part")
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab") as written:
            self._watch(file.path, written.tell(), file.size)
            for block in self._rest(file, written.tell()):
                written.write(block)
                self._watch(file.path, written.tell(), file.size)
        part.replace(target)

    def _rest(self, file: RemoteFile, done: int) -> Iterator[bytes]:
        """The file from that byte on, in blocks; the hub's library asks again where a connection breaks."""
        path = f"datasets/{self.name}@{self._revision}/{file.path}"
        try:
            with self._hub.open(path, "rb", block_size=BLOCK, cache_type="none", size=file.size) as remote:
                remote.seek(done)
                while block := remote.read(BLOCK):
                    yield block
                    done += len(block)
        except Exception as error:
            raise self._failure(error, file, done) from error

    def _failure(self, error: Exception, file: RemoteFile | None = None, kept: int = 0) -> InputError:
        """The error for a failed download, in one sentence."""
        from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

        safe = f"; {kept:,} of {file.size:,} bytes are kept, and the same command goes on" if file and kept else ""
        if isinstance(error, GatedRepoError):
            return InputError(
                f"the hub's {self.name} is shown to those alone who ask its owners; log in, and ask them."
            )
        if isinstance(error, RepositoryNotFoundError | EntryNotFoundError):
            return InputError(f"the hub has no {f'{file.path} in {self.name}' if file else f'data set {self.name}'}.")
        reason = next(iter(str(error).strip().splitlines()), "").rstrip(".") or type(error).__name__
        return InputError(
            f"cannot get {file.path if file else 'the files'} of {self.name} from the hub ({reason}){safe}; without a "
            "network, give a copy of the repository with --from FOLDER."
        )
