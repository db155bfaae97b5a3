"""A repository on the Hugging Face hub, by the public API of `huggingface_hub`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ...base import DamagedFileError, InputError
from ...base.ordinary_files import SMALL
from .place import Contents

PREFIX = "hf://"
_BY_STATUS = {
    401: "the hub does not take the token; log in again with `hf auth login`, or set HF_TOKEN",
    403: "the token may not write to {name}; take one with the right to write, or another OWNER",
    409: "{name} was made by somebody else meanwhile; look at it, and push again",
    412: "{address} was changed by somebody else meanwhile, and was left as it is; push again",
}
"""What is wrong, and what would be right, by the status that the hub answers with."""


class HubPlace:
    """A repository of the hub, at one of its revisions."""

    def __init__(self, name: str, revision: str | None = None) -> None:
        """Nothing is asked for yet.

        Args:
            name: OWNER/NAME.
            revision: A branch, a tag or a commit; by default its main branch.
        """
        self.name, self.revision = name, revision
        self.address, self.title = f"{PREFIX}{name}{f'@{revision}' if revision else ''}", name.rpartition("/")[2]
        # The hub's library reads the variable when it is imported; a mirror may be named later.
        self._endpoint = os.environ.get("HF_ENDPOINT") or None
        self._files: dict[str, Any] = {}
        self._commit = ""

    @cached_property
    def _api(self) -> Any:
        from huggingface_hub import HfApi

        return HfApi(endpoint=self._endpoint)

    def look(self) -> Contents | None:
        """The files of the repository, with the commit that has them."""
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

        try:
            info = self._api.model_info(self.name, revision=self.revision, files_metadata=True)
        except RevisionNotFoundError:
            return Contents({}, self._is_public(), new_branch=True)
        except RepositoryNotFoundError as error:
            if isinstance(error, GatedRepoError):
                raise self._failure(error) from error
            return None
        except Exception as error:  # the library has many: no network, a token that is refused
            raise self._failure(error) from error
        self._files = {each.rfilename: each for each in info.siblings or ()}
        self._commit = str(info.sha)
        return Contents({path: each.size or 0 for path, each in self._files.items()}, not info.private, self._commit)

    def read(self, path: str) -> bytes:
        """One of its files, of that commit, with the size and the checksum that the hub has for it."""
        from huggingface_hub import HfFileSystem

        found = None if self._commit else self.look()
        if not self._commit:
            raise InputError(self.missing if found is None else f"{self.name} has no revision '{self.revision}'.")
        listed = self._files.get(path)
        if listed is None:
            raise InputError(f"{self.address} holds no {path}.")
        if (listed.size or 0) > SMALL:
            raise DamagedFileError(f"{path} of {self.address} has more than {SMALL:,} bytes, which no program has.")
        hub = HfFileSystem(endpoint=self._endpoint, skip_instance_cache=True)
        try:
            with hub.open(
                f"{self.name}@{self._commit}/{path}", "rb", cache_type="none", size=listed.size, block_size=SMALL
            ) as file:
                content: bytes = file.read()
        except Exception as error:
            raise self._failure(error) from error
        expected = listed.lfs.sha256 if listed.lfs else listed.blob_id
        if len(content) != listed.size or _checksum(content, git=not listed.lfs) != expected:
            raise DamagedFileError(
                f"{path} of {self.address} did not come whole, and nothing was written; the same command gets it again."
            )
        return content

    def write(self, files: Mapping[str, bytes], *, public: bool, found: Contents | None, message: str) -> str:
        """Put the files there in one commit, in a repository that is made for them if there is none."""
        from huggingface_hub import CommitOperationAdd, get_token

        if get_token() is None:
            raise InputError("the hub asks who pushes: log in with `hf auth login`, or set HF_TOKEN.")
        added = [CommitOperationAdd(path, content) for path, content in files.items()]
        parent = found.revision if found is not None and found.revision else None
        try:
            if found is None:
                self._api.create_repo(self.name, private=not public)
            if self.revision and (found is None or found.new_branch):
                self._api.create_branch(self.name, branch=self.revision)
            done = self._api.create_commit(
                self.name, added, commit_message=message, revision=self.revision, parent_commit=parent
            )
        except Exception as error:
            raise self._failure(error) from error
        return str(done.commit_url)

    @property
    def missing(self) -> str:
        """The sentence for a repository that is not there, or is not shown."""
        return (
            f"the hub has no {self.name}, or does not show it to you: look at its spelling, log in with "
            "`hf auth login`, or set HF_TOKEN."
        )

    def _is_public(self) -> bool:
        try:
            return not self._api.model_info(self.name).private
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> InputError:
        """The error for what the hub refuses, or for a hub that is not reached, in one sentence."""
        from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

        if isinstance(error, GatedRepoError):
            return InputError(
                f"the hub's {self.name} is shown to those alone who ask its owners; log in, and ask them."
            )
        if isinstance(error, RepositoryNotFoundError):
            return InputError(self.missing)
        status = error.response.status_code if isinstance(error, HfHubHTTPError) and error.response is not None else 0
        if status in _BY_STATUS:
            return InputError(f"{_BY_STATUS[status].format(name=self.name, address=self.address)}.")
        reason = " ".join(filter(None, str(error).strip().splitlines()[:3])).rstrip(".") or type(error).__name__
        return InputError(
            f"the hub refuses {self.address}, or is not reached ({reason}); give the same command again, or take "
            "file:FOLDER."
        )


def _checksum(content: bytes, *, git: bool) -> str:
    """The checksum that the hub has for a file: git's own for small ones, else sha256."""
    if git:
        return hashlib.sha1(f"blob {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()
    return hashlib.sha256(content).hexdigest()
