"""Questions and passages from wherever they are: the generated world, a file, or the hub."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

from ..errors import InputError
from ..retrieval import BM25, Passage, Retriever, is_index, open_index
from . import hub, two_wiki
from .corpus import gather_passages, read_passages
from .question import Question
from .record import Record
from .records import read_records
from .sets import FORMATS, format_of

Source = str | os.PathLike[str]


def open_questions(
    source: Source, *, limit: int | None = None, aliases: str | os.PathLike[str] | None = None
) -> Iterator[Question]:
    """The questions of a source, checked as they come.

    Args:
        source: "world" for the generated world; the path of a file of HotpotQA, 2WikiMultiHopQA, MuSiQue, FlashRAG or
            `write_questions`, whose layout is told by its first record; or "hub:OWNER/NAME[/CONFIG][:SPLIT]", also
            "hub:" and the short name of a known set.
        limit: At most so many, from the start.
        aliases: For 2WikiMultiHopQA: its `id_aliases.json`, whose further names count as right answers too.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import open_questions
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
        >>> _ = path.write_text('{"id": 1, "question": "Who wrote Emma?", "answers": ["Jane Austen"]}')
        >>> [(question.id, question.answer) for question in open_questions(path)]
        [('1', 'Jane Austen')]
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, not {limit}.")
    if str(source) == "world":
        if aliases is not None:
            raise InputError("aliases go with questions in the layout of 2WikiMultiHopQA, not with the world.")
        from .world import World

        return islice(iter(World(questions=200, seed=0).questions()), limit)
    return islice(_read_questions(_records(source), str(source), aliases), limit)


def open_corpus(source: Source, *, id_field: str | None = None, unique_ids: bool = True) -> Iterator[Passage]:
    """The passages of a source: the world's, a corpus, or the paragraphs that a source's questions bring, each once.

    Args:
        source: As for `open_questions`; also the path of a corpus file (`read_corpus`) or a corpus on the hub.
        id_field: The field of a corpus to take as id instead of "id" or "_id" (`read_corpus`).
        unique_ids: Refuse an id that comes twice in a corpus (`read_corpus`).
    """
    if str(source) == "world":
        from .world import World

        return iter(World(questions=200, seed=0).passages())
    return _read_corpus(_records(source), str(source), id_field, unique_ids)


def open_retriever(source: Source) -> Retriever:
    """What finds passages of a source: an index folder as it is, anything else by BM25, indexed on the spot.

    Args:
        source: As for `open_corpus`, or an index folder.
    """
    if is_index(source):
        return open_index(source)
    if Path(source).is_dir():
        raise InputError(f"{source} is a folder but no index; make one with: multihop index CORPUS --to {source}")
    return BM25.build(open_corpus(source))


def _records(source: Source) -> Iterator[Record]:
    if str(source).startswith(hub.PREFIX):
        return hub.read_hub(hub.parse(str(source)))
    if not Path(source).exists() and Path(source).name == str(source) and not Path(source).suffix:
        raise InputError(f"'{source}' is neither 'world', nor a file, nor a name that begins with '{hub.PREFIX}'.")
    return read_records(source)


def _read_questions(
    records: Iterator[Record], source: str, aliases: str | os.PathLike[str] | None
) -> Iterator[Question]:
    first = next(records, None)
    if first is None:
        raise InputError(f"{source} holds no questions.")
    read = _reader(first, aliases)
    places: dict[str, str] = {}
    for record in chain([first], records):
        question = read(record)
        if question.id in places:
            raise record.error(f"the question id '{question.id}' stands already at {places[question.id]}.")
        places[question.id] = record.where
        yield question


def _reader(first: Record, aliases: str | os.PathLike[str] | None) -> Callable[[Record], Question]:
    layout = format_of(first)
    if aliases is None:
        return layout.read
    if layout is not two_wiki.FORMAT:
        raise first.error(f"aliases go with questions in the layout of 2WikiMultiHopQA, but this is {layout.name}.")
    if not first.has("answer_id"):
        raise first.error("aliases need questions with 'answer_id'; take the files that have ids.")
    table = two_wiki.read_aliases(aliases)
    return lambda record: two_wiki.read(record, table)


def _read_corpus(records: Iterator[Record], source: str, id_field: str | None, unique_ids: bool) -> Iterator[Passage]:
    first = next(records, None)
    if first is None:
        raise InputError(f"{source} holds no passages.")
    together = chain([first], records)
    if not any(layout.fits(first) for layout in FORMATS):
        yield from read_passages(together, source, id_field=id_field, unique_ids=unique_ids)
        return
    found = False
    for passage in gather_passages(map(format_of(first).read, together)):
        found = True
        yield passage
    if not found:
        raise InputError(f"{source} holds questions without paragraphs of their own; give a corpus.")
