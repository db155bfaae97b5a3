"""The corpora of known sets: unpacked, under the ids that their questions have, and as IRCoT's authors make theirs."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from ..base import DamagedFileError, writing
from ..retrieval import Passage
from .formats import read_context
from .question import Question, content_id
from .record import Record
from .record_files import check_density, kind_by_name


def unpack(path: Path, parts: Path) -> Iterator[Path]:
    """The file itself, or the files of a zip archive that can be read, unpacked into the folder."""
    if path.suffix != ".zip":
        yield path
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if kind_by_name(Path(name)) and not name.startswith("__")]
            for number, name in enumerate(sorted(names)):
                check_density(path, archive.getinfo(name).file_size, archive.getinfo(name).compress_size)
                target = parts / f"{path.stem}-{number}{Path(name).suffix}"
                with archive.open(name) as packed, writing(target, "wb") as file:
                    shutil.copyfileobj(packed, file)
                yield target
    except zipfile.BadZipFile as error:
        raise DamagedFileError(f"{path}: not a whole zip archive ({error}); get the file again.") from error


def match_ids(passages: Iterable[Passage], questions: Iterable[Question]) -> Iterator[Passage]:
    """The passages under the ids that the questions have for them, where those bring the same title and text.

    A corpus that was made apart from its questions, as HippoRAG's were, has ids of its own or none.
    """
    ids: dict[tuple[str, str], str] = {}
    for question in questions:
        for page in question.passages:
            ids.setdefault(_content(page), page.id)
    own = set(ids.values())
    others: list[Passage] = []

    def own_first() -> Iterator[Passage]:
        """The passages; last those whose id questions have for another text, which keep it if that is nowhere."""
        for passage in passages:
            if passage.id in own and _content(passage) not in ids:
                others.append(passage)
            else:
                yield passage
        yield from others

    taken: set[str] = set()
    for passage in own_first():
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


def read_ircot_corpus(records: Iterable[Record]) -> Iterator[Passage]:
    """The corpora that IRCoT's authors search, made as theirs are from the files that they fetch.

    HotpotQA's is its dump of the first paragraphs of Wikipedia; those of 2WikiMultiHopQA and MuSiQue are the paragraphs
    of all their questions, test questions too, each title with its text once. Ids are those of the questions' own
    paragraphs, so that a title that repeats may be the id of several (`match_ids` tells them apart).
    """
    seen: set[bytes] = set()
    for record in records:
        if not (record.has("context") or record.has("paragraphs")):  # a page of the dump, whose titles differ
            title = record.text("title")
            yield Passage(title, title, " ".join(sentence.strip() for sentence in record.texts("text")))
            continue
        for own in _paragraphs(record):
            content = f"{own.title}\0{own.text}".encode("utf-8", "surrogatepass")
            if (digest := blake2b(content, digest_size=10).digest()) not in seen:
                seen.add(digest)
                yield own


def _paragraphs(record: Record) -> Iterable[Passage]:
    """The paragraphs of a question, whatever is known of its answer."""
    if record.has("context"):
        return read_context(record, joint=" ")[0]
    pairs = [(each.text("title", default=""), each.text("paragraph_text")) for each in record.records("paragraphs")]
    return [Passage(content_id(title, text), title, text) for title, text in pairs]
