"""Fetches a known set into a folder: the questions of each split and a corpus that matches them.

set.json in the folder says which files are whole, of what they were made, and the checksums by which that can be seen.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ..base import DamagedFileError, InputError, MismatchError, check_known, only_writer, read_small, write_record
from ..base.files import parsed
from ..retrieval import Passage
from .corpus import gather_passages, read_passages
from .known_corpora import match_ids, read_ircot_corpus, unpack
from .named_sets import CORPUS, KnownSet, known_set
from .own_rows import write_questions, write_rows
from .question import Question
from .questions import read_questions
from .record_files import read_records

MANIFEST, PARTS, LOCK = "set.json", ".parts", "lock"
LARGE = 2_000_000_000
"""Bytes of a corpus from which its ids are no longer watched, which would take gigabytes of memory."""


class SourceFile(TypedDict):
    """A file that something was made of."""

    repository: str
    """The repository on the hub, or the folder that a copy of it is in."""
    revision: str
    """The repository's revision; empty for a copy in a folder."""
    path: str
    """The file's path in the repository."""
    sha256: str
    """The SHA-256 of the file's bytes, in hexadecimal."""


class WrittenFile(TypedDict):
    """A whole file of the folder."""

    records: int
    """The number of questions or passages in it."""
    sha256: str
    """The SHA-256 of the file's bytes, in hexadecimal."""
    made_of: list[SourceFile]
    """The files it was made of; empty for a corpus made of the paragraphs of questions in this folder."""


class SetRecord(TypedDict):
    """A fetched question set: set.json."""

    name: str
    """The name it was fetched by."""
    title: str
    """The set's own name."""
    licence: str
    """The licence its makers give the data."""
    citation: str
    """The publication to cite."""
    homepage: str
    """The address of the makers' description."""
    files: dict[str, WrittenFile]
    """The files that are whole, by their names."""


def fetch_set(
    name: str,
    to: str | os.PathLike[str],
    *,
    splits: Sequence[str] = (),
    copy: str | os.PathLike[str] | None = None,
) -> SetRecord:
    """Write SPLIT.jsonl for each split, corpus.jsonl where there is a corpus, and set.json, which says what is whole.

    Asked again, it goes on where it stopped: what is whole is checked and left as it is, and the files that are missing
    come of the same revision. Every download is checked against the hub's checksum.

    Args:
        name: The set's name (`known_sets`).
        to: The folder: a new or an empty one, or one that holds this set.
        splits: Only these, and the corpus; all of them by default.
        copy: A folder that holds a copy of the repository, to be read instead of the hub; of a set that is not on the
            hub, the folder with its makers' files.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import fetch_set
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> (folder / "copy" / "bamboogle").mkdir(parents=True)
        >>> _ = (folder / "copy" / "bamboogle" / "test.jsonl").write_text(
        ...     '{"id": "test_0", "question": "Who wrote Emma?", "golden_answers": ["Jane Austen"]}')
        >>> record = fetch_set("flashrag-bamboogle", folder / "mine", copy=folder / "copy")
        >>> record["files"]["test.jsonl"]["records"], sorted(path.name for path in (folder / "mine").iterdir())
        (1, ['set.json', 'test.jsonl'])
    """
    known = known_set(name)
    for split in splits:
        check_known(f"split of {name}", split, known.splits)
    copied = _copy_of(known, copy)
    folder = Path(to).expanduser()
    record, new = _open_folder(folder, known), not folder.exists()
    parts = folder / PARTS
    with only_writer(parts / LOCK, f"another process is fetching into {folder}; wait for it, or give another folder."):
        try:
            _Fetching(known, folder, record, copied).run(splits or known.splits)
        except BaseException:
            if not record["files"] and not _has_come(parts):  # nothing is left behind where nothing has come
                shutil.rmtree(parts)
                if new:
                    folder.rmdir()
            raise
    shutil.rmtree(parts)
    return record


def _copy_of(known: KnownSet, copy: str | os.PathLike[str] | None) -> Path | None:
    """The folder that a copy of the set's repository is in, if one was given, which a set elsewhere needs."""
    if copy is None:
        if known.repository:
            return None
        raise InputError(
            f"the files of {known.name} are not on the hub: {known.elsewhere} tells where they are; give the folder "
            f"that {known.files[known.splits[0] if known.splits else CORPUS]} is in with --from."
        )
    copied = Path(copy).expanduser()
    if not copied.is_dir():
        place = known.repository or known.elsewhere
        raise InputError(f"{copy} is not a folder; give --from the folder that a copy of {place} is in.")
    return copied


def read_record(folder: Path) -> SetRecord:
    """The folder's set.json."""
    path = folder / MANIFEST
    what = "the record of a question set; delete the folder, and the same command gets the set again"
    return parsed(SetRecord, read_small(path), path, what)


def checksum(path: Path, begin: Any = "sha256") -> str:
    """The file's checksum, by default its sha256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, begin).hexdigest()


def _open_folder(folder: Path, known: KnownSet) -> SetRecord:
    """The folder's record of the set so far, its files checked; a new record if the folder is empty or missing."""
    if not (folder / MANIFEST).exists():
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; give --to a folder.")
        if folder.exists() and any(path.name != PARTS for path in folder.iterdir()):
            raise InputError(f"{folder} holds other files and no {MANIFEST}; give --to an empty folder, or a new one.")
        return {
            "name": known.name,
            "title": known.title,
            "licence": known.licence,
            "citation": known.citation,
            "homepage": known.homepage,
            "files": {},
        }
    record = read_record(folder)
    if record["name"] != known.name:
        raise MismatchError(f"{folder} holds the set {record['name']}; give --to another folder for {known.name}.")
    record["files"] = {name: file for name, file in record["files"].items() if (folder / name).exists()}
    for name, file in record["files"].items():
        if checksum(folder / name) != file["sha256"]:
            raise DamagedFileError(
                f"{folder / name} is not as it was fetched: its checksum is not the one in {MANIFEST}; delete the "
                "file, and the same command gets it again."
            )
    return record


def _has_come(parts: Path) -> bool:
    """True if a file has come whole; beside them are the lock and the notes of the hub's library."""
    come = (path for path in parts.rglob("*") if path.is_file() and path.name != LOCK)
    return any(path.relative_to(parts).parts[0] != ".cache" for path in come)


@dataclass
class _Fetching:
    """One call of `fetch_set`, file by file; the record is written anew after each."""

    known: KnownSet
    folder: Path
    record: SetRecord
    copied: Path | None
    """The copy of the repository, if there is one."""
    info: Any = None
    """The hub's description of the repository; None before it was asked."""

    def run(self, splits: Sequence[str]) -> None:
        """Each split that is wanted, then the corpus."""
        for split in splits:
            if not self._is_there(split):
                paths, made_of = self._bring(split)
                count = write_questions(self._path(split), _questions(paths))
                self._keep(split, count, made_of)
        if not self.known.has_corpus or self._is_there(CORPUS):
            return
        if CORPUS in self.known.files:
            paths, made_of = self._bring(CORPUS)
            passages = match_ids(_passages(self.known, paths), chain.from_iterable(map(self._written, splits)))
        else:
            made_of = []
            passages = gather_passages(self._own_questions(splits, made_of))
        self._keep(CORPUS, write_rows(self._path(CORPUS), (each._asdict() for each in passages)), made_of)

    def _own_questions(self, splits: Sequence[str], made_of: list[SourceFile]) -> Iterator[Question]:
        """The questions whose paragraphs make the corpus, also where their split is not wanted itself."""
        if self.known.corpus_of in splits or self._is_there(self.known.corpus_of):
            return self._written(self.known.corpus_of)
        paths, sources = self._bring(self.known.corpus_of)
        made_of += sources
        return _questions(paths)

    def _bring(self, part: str) -> tuple[list[Path], list[SourceFile]]:
        """The files that a split or the corpus is made of, whole and checked, and what they are."""
        pattern, parts = self.known.files[part], self.folder / PARTS
        if self.copied is None:
            brought = list(self._download(pattern))
        else:
            found = [path for path in sorted(self.copied.glob(pattern)) if path.is_file()]
            if not found:
                place = self.known.repository or self.known.elsewhere
                raise InputError(f"{self.copied} holds no {pattern}; give --from a copy of {place} as it is there.")
            brought = [
                (path, _source(str(self.copied), "", path.relative_to(self.copied).as_posix(), path)) for path in found
            ]
        return [unpacked for path, _ in brought for unpacked in unpack(path, parts)], [file for _, file in brought]

    def _download(self, pattern: str) -> Iterator[tuple[Path, SourceFile]]:
        """The files from the hub, of one revision."""
        from huggingface_hub import HfApi

        # The hub's library reads the variable when it is imported; a mirror may be named later.
        api, name = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None), self.known.repository
        if self.info is None:
            revisions = (source["revision"] for file in self.record["files"].values() for source in file["made_of"])
            revision = next(filter(None, revisions), None)
            try:
                self.info = api.dataset_info(name, revision=revision, files_metadata=True)
            except Exception as error:
                raise _failure(error, name) from error
        found = [file for file in self.info.siblings if fnmatchcase(file.rfilename, pattern)]
        if not found:
            raise InputError(
                f"the hub's {name} holds no {pattern} any more; take another set, or a copy of the repository as it "
                "was with --from FOLDER."
            )
        for file in sorted(found, key=lambda file: str(file.rfilename)):
            try:
                path = Path(
                    api.hf_hub_download(
                        name,
                        file.rfilename,
                        repo_type="dataset",
                        revision=self.info.sha,
                        local_dir=self.folder / PARTS,
                    )
                )
            except Exception as error:
                raise _failure(error, name, file.rfilename) from error
            if not _is_as_on_hub(path, file):
                path.unlink()
                raise DamagedFileError(
                    f"{file.rfilename} of {name} came with another checksum than the hub has for it, and was deleted; "
                    "the same command gets it again."
                )
            yield path, _source(name, self.info.sha, file.rfilename, path)

    def _keep(self, part: str, count: int, made_of: list[SourceFile]) -> None:
        path = self._path(part)
        self.record["files"][path.name] = {"records": count, "sha256": checksum(path), "made_of": made_of}
        write_record(self.folder / MANIFEST, self.record)

    def _written(self, split: str) -> Iterator[Question]:
        return _questions([self._path(split)])

    def _is_there(self, part: str) -> bool:
        return self._path(part).name in self.record["files"]

    def _path(self, part: str) -> Path:
        return self.folder / f"{part}.jsonl"


def _source(repository: str, revision: str, name: str, path: Path) -> SourceFile:
    return {"repository": repository, "revision": revision, "path": name, "sha256": checksum(path)}


def _is_as_on_hub(path: Path, file: Any) -> bool:
    """True if the file has the checksum that the hub gives: sha256, or git's own for its small files."""
    if file.lfs:
        return checksum(path) == str(file.lfs.sha256)
    begin = f"blob {path.stat().st_size}\0".encode()
    return checksum(path, lambda: hashlib.sha1(begin, usedforsecurity=False)) == str(file.blob_id)


def _failure(error: Exception, repository: str, file: str = "") -> InputError:
    """The error for a failed download, in one sentence."""
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return InputError(f"the hub's {repository} is shown to those alone who ask its owners; log in, and ask them.")
    if isinstance(error, RepositoryNotFoundError | EntryNotFoundError):
        return InputError(f"the hub has no {f'{file} in {repository}' if file else f'data set {repository}'}.")
    reason = next(iter(str(error).strip().splitlines()), "").rstrip(".") or type(error).__name__
    kept = "; the files that are whole are kept" if file else ""
    return InputError(
        f"cannot get {file or 'the files'} of {repository} from the hub ({reason}){kept}; without a network, give a "
        "copy of the repository with --from FOLDER."
    )


def _questions(paths: Sequence[Path]) -> Iterator[Question]:
    return read_questions(chain.from_iterable(map(read_records, paths)), _names(paths))


def _passages(known: KnownSet, paths: Sequence[Path]) -> Iterator[Passage]:
    records = chain.from_iterable(map(read_records, paths))
    if known.corpus_by == "ircot":
        return read_ircot_corpus(records)
    return read_passages(records, _names(paths), unique_ids=sum(path.stat().st_size for path in paths) < LARGE)


def _names(paths: Sequence[Path]) -> str:
    return " and ".join(map(str, paths)) or "nothing"
