"""The records of a source: a file, a folder of files, a folder with a corpus beside its questions, or the hub.

Two kinds of folder hold questions and their corpus side by side. BEIR's hold corpus.jsonl, queries.jsonl, and for each
split which passages are relevant, in qrels/SPLIT.tsv; HippoRAG's hold NAME.json and NAME_corpus.json.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from ..base import DamagedFileError, InputError, MismatchError
from ..retrieval import is_address, is_index
from ..retrieval.document_readers import KINDS as DOCUMENTS
from ..retrieval.document_readers import TABLES
from ..retrieval.documents import find_documents
from ..retrieval.remote import hide_login
from .answers import answer_fields
from .named_sets import HUB, parse_hub_name, read_hub
from .reading import OnBad
from .record import Record
from .record_files import KINDS, kind_by_name, read_json, read_kind, read_lines, read_records

Source = str | os.PathLike[str]
CORPUS, QUERIES, JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels"
_OF_HIPPORAG = "_corpus.json"
_ABOUT = re.compile(r"(?:readme|licen[cs]e|changelog)\b", re.IGNORECASE)
"""Documents that are about the records beside them."""


def is_hub(source: Source) -> bool:
    """True if this names a set on the hub."""
    return str(source).startswith(HUB)


def local_path(source: Source) -> Path:
    """The file or folder that a source names, with "~" for the home folder."""
    if is_address(source) or re.match(r"[A-Za-z][\w+.-]+:/", str(source)):
        raise InputError(f"{hide_login(str(source))} is an address; download the file first and give its path.")
    path = Path(source).expanduser()
    if not path.exists() and path.name == str(source) and not path.suffix:
        raise InputError(f"there is no file, folder or index '{source}'; other names are 'little' and '{HUB}NAME'.")
    return path


def check_source(source: Source) -> None:
    """Refuse a name that can be no source, before anything is opened."""
    if is_hub(source):
        parse_hub_name(str(source))
    else:
        local_path(source)


def read_source(
    source: Source, on_bad: OnBad, read_part: Callable[[Path, OnBad], Iterator[Record] | None]
) -> Iterator[Record]:
    """The records of a file, of the files of a folder in the order of their names, or of a set on the hub.

    Of a folder that has both, `read_part` takes the one or the other: `read_questions_of`, `read_corpus_of`.
    """
    if is_hub(source):
        return read_hub(parse_hub_name(str(source)))
    path = local_path(source)
    if path.exists() and (part := read_part(path, on_bad)) is not None:
        return part
    if path.is_dir():
        return chain.from_iterable(read_records(file, on_bad) for file in _files(path))
    return read_records(path, on_bad)


def find_documents_of(source: Source) -> dict[str, Path]:
    """The documents that a source names, by their names: a file, or a folder and those in it; else none.

    A folder of records, with no other document beside them than one about them, is none of documents.
    """
    path = Path(source).expanduser()
    if path.is_file():
        document = path.suffix.lower() in DOCUMENTS and kind_by_name(path) is None and not _is_of_records(path)
        return {path.name: path} if document else {}
    if not path.is_dir() or is_index(path) or _is_beir(path) or _corpus_of(path) is not None:
        return {}
    try:
        found, _ = find_documents(path)
    except InputError:
        return {}
    texts = [name for name in found if Path(name).suffix.lower() not in TABLES and not _ABOUT.match(name)]
    records = any(kind_by_name(file) is not None for file in path.iterdir() if file.is_file())
    return found if any("/" not in name for name in texts) or not records else {}


def _is_of_records(path: Path) -> bool:
    """True for a text file that has records in it by its content."""
    try:
        return path.suffix.lower() == ".txt" and bool(read_kind(path))
    except InputError:
        return False


def _files(folder: Path) -> list[Path]:
    """The files of a folder that can be read; READMEs, hidden files and folders within are left aside."""
    if is_index(folder):
        raise InputError(f"{folder} is an index; give it as the corpus.")
    files = sorted(
        file for file in folder.iterdir() if file.is_file() and file.name[0] != "." and kind_by_name(file) is not None
    )
    if not files:
        raise InputError(
            f"{folder} is a folder without a file that can be read: {', '.join(KINDS)}, text also .gz; "
            f"documents: {', '.join(DOCUMENTS)}."
        )
    return files


def read_questions_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The questions of a folder that has a corpus beside them, or of the split that the path names; else None."""
    if _is_beir(path) or _split_of(path) is not None:
        return _read_split(_only_split(path) if path.is_dir() else path, on_bad)
    corpus = _corpus_of(path)
    return None if corpus is None else read_records(_questions_beside(corpus), on_bad)


def read_corpus_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The corpus of a folder that has questions beside it; None if the path is no such folder."""
    corpus = _part_of(path, CORPUS) if _is_beir(path) else _corpus_of(path)
    return None if corpus is None else read_records(corpus, on_bad)


def is_documents(source: Source) -> bool:
    """True if this is a folder of documents."""
    return Path(source).expanduser().is_dir() and bool(find_documents_of(source))


def home_of_corpus(path: Path) -> Path | None:
    """The folder that holds the corpus of the questions at the path, where they lie side by side; else None."""
    home = _split_of(path) or path
    return home if home.is_dir() and (_is_beir(home) or _corpus_of(home)) else None


def _part_of(folder: Path, name: str) -> Path | None:
    """A file of the folder by its name, plain or as .gz; None where it is not there."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _is_beir(folder: Path) -> bool:
    """True if the folder is laid out as BEIR's are."""
    return _part_of(folder, QUERIES) is not None and _part_of(folder, CORPUS) is not None


def _split_of(path: Path) -> Path | None:
    """The BEIR folder whose split this file of judgements is; None if it is none."""
    home = path.parent.parent
    return home if path.suffix == ".tsv" and path.parent.name == JUDGEMENTS and _is_beir(home) else None


def _only_split(folder: Path) -> Path:
    """The file of judgements of a folder that has one split."""
    splits = sorted((folder / JUDGEMENTS).glob("*.tsv"))
    if len(splits) == 1:
        return splits[0]
    if not splits:
        raise InputError(f"{folder} has no {JUDGEMENTS}/SPLIT.tsv, which say which questions a split has.")
    raise InputError(
        f"{folder} has several splits; give the file of one as the questions: {', '.join(map(str, splits))}."
    )


def _read_split(judgements: Path, on_bad: OnBad) -> Iterator[Record]:
    """The questions of a split in the order of queries.jsonl, as rows that name their relevant passages.

    A passage with a score of 0 was looked at and is not relevant. Answers are there where "metadata" has one, as for
    HotpotQA.
    """
    home = judgements.parent.parent
    relevant = _read_judgements(judgements, on_bad)
    queries = _part_of(home, QUERIES) or home / QUERIES
    missing = set(relevant)
    for record in read_json(queries, on_bad):
        try:
            identifier = record.identifier("_id", "id")
            if identifier in relevant:
                missing.discard(identifier)
                supporting = relevant[identifier]
                fields = {"id": identifier, "question": record.require_text("text"), "supporting": supporting}
                if isinstance(record.fields.get("metadata"), dict):
                    metadata = record.inner_record("metadata")
                    fields |= {name: metadata.fields[name] for name in answer_fields(metadata)}
                yield Record(fields, record.where)
        except InputError as error:
            on_bad(error)
    if missing:
        raise MismatchError(
            f"{judgements} names {len(missing):,} questions that are not in {queries}, such as '{min(missing)}'."
        )


def _read_judgements(path: Path, on_bad: OnBad) -> dict[str, list[str]]:
    """The relevant passages of each question."""
    relevant: dict[str, dict[str, None]] = {}
    for number, line in read_lines(path, on_bad):
        fields = line.rstrip("\r\n").split("\t")
        if fields == [""] or (number == 1 and fields[-1] == "score"):
            continue
        try:
            question, passage, score = fields
            found = {passage: None} if float(score) > 0 else {}
            relevant.setdefault(question, {}).update(found)
        except ValueError:
            form = "a question's id, a passage's id and a score, with tabs between them"
            on_bad(DamagedFileError(f"{path}, line {number}: must be {form}."))
    if not relevant:
        raise InputError(f"{path} judges nothing.")
    return {question: list(passages) for question, passages in relevant.items()}


def _corpus_of(folder: Path) -> Path | None:
    """NAME_corpus.json, where NAME.json is beside it."""
    found = [each for each in sorted(folder.glob(f"*{_OF_HIPPORAG}")) if _questions_beside(each).is_file()]
    if len(found) > 1:
        names = ", ".join(str(_questions_beside(each)) for each in found)
        raise InputError(f"{folder} has several sets; give the files of one: {names}, each with its *{_OF_HIPPORAG}.")
    return found[0] if found else None


def _questions_beside(corpus: Path) -> Path:
    return corpus.with_name(f"{corpus.name.removesuffix(_OF_HIPPORAG)}.json")
