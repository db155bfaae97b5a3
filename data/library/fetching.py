"""Fetches a known set into a folder: the questions of each split and a corpus that matches them."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from filelock import FileLock, Timeout

from ...base import DamagedFileError, InputError, unknown, writing
from ...base.texts import as_json
from ...retrieval import Passage
from ..corpus import gather_passages, read_passages
from ..files.record_file import kind_by_name, read_records
from ..formats.rows import write_questions
from ..question import Question, content_id
from ..questions import read_questions
from .catalogue import CORPUS, KnownSet, known_set
from .ircot_corpus import read_ircot_corpus
from .manifest import MANIFEST, PARTS, SetRecord, SourceFile, WrittenFile, checksum, open_folder, write_record
from .repository import CopiedRepository, HubRepository, WatchDownload

LOCK = "lock"
LARGE = 2_000_000_000
"""Bytes of a corpus from which its ids are no longer watched, which would take gigabytes of memory."""


def fetch_set(
    name: str,
    to: str | os.PathLike[str],
    *,
    splits: Sequence[str] = (),
    copy: str | os.PathLike[str] | None = None,
    watch: WatchDownload | None = None,
) -> SetRecord:
    """Write SPLIT.jsonl for each split, corpus.jsonl where there is a corpus, and set.json, which says what is whole.

    Asked again, it goes on where it stopped: what is whole is checked and left as it is, and of a file whose download
    broke off only the rest is asked for. Every download is checked against the hub's checksum.

    Args:
        name: The set's name (`known_sets`).
        to: The folder: a new or an empty one, or one that holds this set.
        splits: Only these, and the corpus; all of them by default.
        copy: A folder that holds a copy of the repository, to be read instead of the hub; of a set that is not on the
            hub, the folder with its makers' files.
        watch: Told of each download.

    Raises:
        InputError: The name, a split, the folder or the copy cannot be used, or the hub cannot be reached.

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
        if split not in known.splits:
            raise unknown(f"split of {name}", split, known.splits)
    if copy is None and not known.repository:
        raise InputError(
            f"the files of {name} are not on the hub: {known.elsewhere} tells where they are; give the folder that "
            f"{known.files[known.splits[0] if known.splits else CORPUS]} is in with --from."
        )
    folder = Path(to).expanduser()
    record = open_folder(folder, known)
    parts = folder / PARTS
    new = not folder.exists()
    parts.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(parts / LOCK, timeout=0):
            write_record(folder, record)
            _Fetching(known, folder, record, copy, watch).run(splits or known.splits)
    except Timeout:
        raise InputError(f"another process is fetching into {folder}; wait for it, or give another folder.") from None
    except BaseException:
        _clear(folder, record, new=new)
        raise
    shutil.rmtree(parts)
    return record


def _clear(folder: Path, record: SetRecord, *, new: bool) -> None:
    """Leave nothing behind where nothing has come."""
    parts = folder / PARTS
    if record["files"] or any(path.is_file() and path.name != LOCK for path in parts.rglob("*")):
        return
    shutil.rmtree(parts)
    (folder / MANIFEST).unlink(missing_ok=True)
    if new:
        folder.rmdir()


@dataclass
class _Fetching:
    """One call, file by file; the record is written anew after each."""

    known: KnownSet
    folder: Path
    record: SetRecord
    copy: str | os.PathLike[str] | None
    watch: WatchDownload | None
    repository: CopiedRepository | HubRepository | None = None

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
            read = _ircot_passages if self.known.corpus_by == "ircot" else _passages
            passages = match_ids(read(paths), chain.from_iterable(map(self._written, splits)))
        else:
            made_of = []
            passages = gather_passages(self._own_questions(splits, made_of))
        self._keep(CORPUS, write_passages(self._path(CORPUS), passages), made_of)

    def _own_questions(self, splits: Sequence[str], made_of: list[SourceFile]) -> Iterator[Question]:
        """The questions whose paragraphs make the corpus, also where their split is not wanted itself."""
        if self.known.corpus_of in splits or self._is_there(self.known.corpus_of):
            return self._written(self.known.corpus_of)
        paths, sources = self._bring(self.known.corpus_of)
        made_of += sources
        return _questions(paths)

    def _bring(self, part: str) -> tuple[list[Path], list[SourceFile]]:
        if self.repository is None:
            name = self.known.repository or self.known.elsewhere
            copied = CopiedRepository(self.copy, name) if self.copy is not None else None
            self.repository = copied or HubRepository(name, watch=self.watch)
        parts = self.folder / PARTS
        brought = [self.repository.bring(file, parts) for file in self.repository.find(self.known.files[part])]
        return [unpacked for path, _ in brought for unpacked in unpack(path, parts)], [file for _, file in brought]

    def _keep(self, part: str, count: int, made_of: list[SourceFile]) -> None:
        path = self._path(part)
        whole: WrittenFile = {"records": count, "sha256": checksum(path), "made_of": made_of}
        self.record["files"][path.name] = whole
        write_record(self.folder, self.record)

    def _written(self, split: str) -> Iterator[Question]:
        return _questions([self._path(split)])

    def _is_there(self, part: str) -> bool:
        return self._path(part).name in self.record["files"]

    def _path(self, part: str) -> Path:
        return self.folder / f"{part}.jsonl"


def unpack(path: Path, parts: Path) -> Iterator[Path]:
    """The file itself, or the files of a zip archive that can be read, unpacked into the folder."""
    if path.suffix != ".zip":
        yield path
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if kind_by_name(Path(name)) and not name.startswith("__")]
            for number, name in enumerate(sorted(names)):
                target = parts / f"{path.stem}-{number}{Path(name).suffix}"
                with archive.open(name) as packed, writing(target, "wb") as file:
                    shutil.copyfileobj(packed, file)
                yield target
    except zipfile.BadZipFile as error:
        raise DamagedFileError(f"{path}: not a whole zip archive ({error}); get the file again.") from error


def write_passages(path: str | os.PathLike[str], passages: Iterable[Passage]) -> int:
    """Write a corpus, a passage a line, and return how many there were; the file appears only once it is whole.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import read_corpus
        >>> from multihop.data.library.fetching import write_passages
        >>> from multihop.retrieval import Passage
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
        >>> write_passages(path, [Passage("1", "Emma", "A novel.")])
        1
        >>> list(read_corpus(path))
        [Passage(id='1', title='Emma', text='A novel.')]
    """
    count = 0
    with writing(path) as file:
        for passage in passages:
            file.write(f"{as_json(passage._asdict())}\n")
            count += 1
    return count


def match_ids(passages: Iterable[Passage], questions: Iterable[Question]) -> Iterator[Passage]:
    """The passages under the ids that the questions have for them, where those bring the same title and text.

    A corpus that was made apart from its questions, as HippoRAG's were, has ids of its own or none.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.library.fetching import match_ids
        >>> from multihop.retrieval import Passage
        >>> own = Passage("Emma", "Emma", "A novel by Jane Austen.")
        >>> question = Question(id="q", question="Who?", answers=(), passages=(own,))
        >>> list(match_ids([Passage("17", "Emma", "A novel by  Jane Austen. ")], [question]))[0].id
        'Emma'
    """
    ids: dict[tuple[str, str], str] = {}
    for question in questions:
        for own in question.passages:
            ids.setdefault(_content(own), own.id)
    taken: set[str] = set()
    for passage in passages:
        name = ids.get(_content(passage), passage.id)
        if ids and name in taken:  # a title with two texts, or the same passage twice
            name = content_id(passage.title, passage.text)
            if name in taken:
                continue
        if ids:
            taken.add(name)
        yield passage._replace(id=name)


def _content(passage: Passage) -> tuple[str, str]:
    return " ".join(passage.title.split()), " ".join(passage.text.split())


def _questions(paths: Sequence[Path]) -> Iterator[Question]:
    return read_questions(chain.from_iterable(map(read_records, paths)), _names(paths))


def _passages(paths: Sequence[Path]) -> Iterator[Passage]:
    records = chain.from_iterable(map(read_records, paths))
    return read_passages(records, _names(paths), unique_ids=sum(path.stat().st_size for path in paths) < LARGE)


def _ircot_passages(paths: Sequence[Path]) -> Iterator[Passage]:
    return read_ircot_corpus(chain.from_iterable(map(read_records, paths)))


def _names(paths: Sequence[Path]) -> str:
    return " and ".join(map(str, paths)) or "nothing"
