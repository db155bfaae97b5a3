"""Folders that hold questions and their corpus side by side: BEIR's, and HippoRAG's files.

BEIR's hold corpus.jsonl, queries.jsonl, and for each split which passages are relevant, in qrels/SPLIT.tsv; HippoRAG's
NAME.json and NAME_corpus.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...base import DamagedFileError, InputError, MismatchError
from ..files.json_records import read_json
from ..files.lines import read_lines
from ..files.record import Record
from ..files.record_file import read_records
from ..reading import OnBad
from .answers import answer_fields

CORPUS, QUERIES, JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels"
_OF_HIPPORAG = "_corpus.json"


def read_questions_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The question records of such a folder, or of the split that the path names; None if the path is none.

    Raises:
        InputError: The folder has several sets, or several splits.
    """
    if path.is_file():
        return None if split_of(path) is None else read_split(path, on_bad)
    if is_beir(path):
        return read_split(only_split(path), on_bad)
    corpus = _corpus_of(path)
    return None if corpus is None else read_records(_questions_beside(corpus), on_bad)


def read_corpus_of(path: Path, on_bad: OnBad) -> Iterator[Record] | None:
    """The records of the corpus of such a folder; None if the path is none.

    Raises:
        InputError: The folder has several sets.
    """
    if path.is_file():
        return None
    corpus = part_of(path, CORPUS) if is_beir(path) else _corpus_of(path)
    return None if corpus is None else read_records(corpus, on_bad)


def home_of_corpus(path: Path) -> Path | None:
    """The folder whose corpus the questions at the path are asked of, where they lie side by side; else None."""
    home = split_of(path) or path
    return home if home.is_dir() and (is_beir(home) or _corpus_of(home)) else None


def part_of(folder: Path, name: str) -> Path | None:
    """A file of the folder by its name, plain or as .gz; None where it is not there."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def is_beir(folder: Path) -> bool:
    """True if the folder is laid out as BEIR's are."""
    return part_of(folder, QUERIES) is not None and part_of(folder, CORPUS) is not None


def split_of(path: Path) -> Path | None:
    """The BEIR folder whose split this file of judgements is; None if it is none."""
    home = path.parent.parent
    return home if path.suffix == ".tsv" and path.parent.name == JUDGEMENTS and is_beir(home) else None


def only_split(folder: Path) -> Path:
    """The file of judgements of a folder that has one split.

    Raises:
        InputError: It has several, or none.
    """
    splits = sorted((folder / JUDGEMENTS).glob("*.tsv"))
    if len(splits) == 1:
        return splits[0]
    if not splits:
        raise InputError(f"{folder} has no {JUDGEMENTS}/SPLIT.tsv, which say which questions a split has.")
    raise InputError(
        f"{folder} has several splits; give the file of one as the questions: {', '.join(map(str, splits))}."
    )


def read_split(judgements: Path, on_bad: OnBad) -> Iterator[Record]:
    """The questions of a split in the order of queries.jsonl, as rows that name their relevant passages.

    A passage with a score of 0 was looked at and is not relevant. Answers are there where "metadata" has one, as for
    HotpotQA.
    """
    home = judgements.parent.parent
    relevant = _read_judgements(judgements, on_bad)
    queries = part_of(home, QUERIES) or home / QUERIES
    missing = set(relevant)
    for record in read_json(queries, on_bad):
        try:
            identifier = record.identifier("_id", "id")
            if identifier in relevant:
                missing.discard(identifier)
                yield _row(record, identifier, relevant[identifier])
        except InputError as error:
            on_bad(error)
    if missing:
        raise MismatchError(
            f"{judgements} names {len(missing):,} questions that are not in {queries}, such as '{min(missing)}'."
        )


def _row(record: Record, identifier: str, passages: list[str]) -> Record:
    fields = {"id": identifier, "question": record.require_text("text"), "supporting": passages}
    if isinstance(record.fields.get("metadata"), dict):
        metadata = record.inner_record("metadata")
        fields |= {name: metadata.fields[name] for name in answer_fields(metadata)}
    return Record(fields, record.where)


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
