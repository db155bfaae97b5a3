"""A run as plain values: its card, its figures, the table of its questions, and each question in packed chunks."""

import base64
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypedDict

from ..base import DamagedFileError, InputError
from ..base.texts import as_json
from ..evaluation.header import Header
from ..evaluation.journal import read_header, read_rows
from ..evaluation.row import Row
from ..evaluation.summary import Summary, summarize
from ..retrieval import Passage
from ..runtime import total_paid
from .figures import Figures, describe_figures
from .folders import Folder
from .questions import (
    QuestionList,
    QuestionRecord,
    QuestionTable,
    add_texts,
    describe_question,
    passages_of,
    read_texts,
)
from .run_card import RunCard, describe_run

Corpus = Callable[[], Iterable[Passage]]
"""Gives the passages of a corpus, anew each time."""
LARGEST = 400_000
"""Characters of JSON from which a chunk is full."""


class RunPage(TypedDict):
    """Everything that a page shows of a run."""

    name: str
    header: Header
    card: RunCard
    figures: Figures
    summary: Summary
    questions: QuestionList
    chunk_sizes: list[int]
    chunks: list[str]
    """The questions in full, packed, in the order of the table."""


def describe_whole_run(folder: Folder, corpus: Corpus | None = None) -> RunPage:
    """The run in a folder as plain values; without a corpus, passages are shown by their titles alone."""
    header, table = read_header(folder), QuestionTable()
    last: dict[str, int] = {}

    def all_rows() -> Iterator[Row]:
        for place, row in enumerate(read_rows(folder)):
            last[row["id"]] = place
            yield row

    summary = summarize(all_rows(), header, total_paid(folder))
    if not last:
        raise InputError(f"{folder} is a run without a finished question; there is nothing to show.")
    texts = None
    if corpus is not None:
        wanted = {each["id"] for _, record in _last_questions(folder, last) for each in passages_of(record)}
        texts = read_texts(wanted, corpus())

    def records() -> Iterator[QuestionRecord]:
        for row, record in _last_questions(folder, last):
            table.add(row)
            if texts is not None:
                add_texts(record, texts)
            yield record

    chunks = list(pack_in_chunks(records()))
    card = describe_run(header, summary, folder)
    return {
        "name": card["program"],
        "header": header,
        "card": card,
        "figures": describe_figures(summary, header["identity"].get("metrics", {})),
        "summary": summary,
        "questions": table.columns,
        "chunk_sizes": [count for count, _ in chunks],
        "chunks": [chunk for _, chunk in chunks],
    }


def _last_questions(folder: Folder, last: Mapping[str, int]) -> Iterator[tuple[Row, QuestionRecord]]:
    """The last row of each question and what a page shows of it, one at a time, however many there are."""
    for place, row in enumerate(read_rows(folder)):
        if last.get(row["id"]) != place:
            continue
        try:
            record = describe_question(row)
        except (TypeError, KeyError, IndexError, ValueError, AttributeError) as error:  # a row of somebody else's
            what = f"it lacks {error}" if isinstance(error, KeyError) else "its steps cannot be drawn"
            raise DamagedFileError(f"{folder}: the row of question '{row['id']:.80}' is damaged: {what}.") from error
        yield row, record


def as_page_json(value: Any) -> str:
    """JSON that can be put between <script> and </script> whatever it holds."""
    text = as_json(value)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pack_in_chunks(records: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Chunks of records, each packed, with how many records it holds; a large record has a chunk of its own."""
    parts: list[str] = []
    size = 0
    for record in records:
        text = as_json(record)
        if parts and size + len(text) > LARGEST:
            yield len(parts), _pack(f"[{','.join(parts)}]")
            parts, size = [], 0
        parts.append(text)
        size += len(text)
    if parts:
        yield len(parts), _pack(f"[{','.join(parts)}]")


def _pack(text: str) -> str:
    """The text, gzipped, as base64; the same text gives the same letters, always."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")
