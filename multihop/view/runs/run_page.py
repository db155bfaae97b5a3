"""A whole run as plain values: its card, its figures, the table of its questions, and each question in chunks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypedDict

from ...base import DamagedFileError, InputError
from ...evaluation.header import Header
from ...evaluation.journal import read_header, read_rows
from ...evaluation.row import Row
from ...evaluation.summary import Summary, summarize
from ...retrieval import Passage
from ...runtime import total_paid
from .figures import Figures, describe_figures
from ..folders import Folder
from ..packing import pack_in_chunks
from .passage_texts import PassageTexts, add_texts, read_texts
from .question_list import QuestionList, QuestionTable
from .question_record import QuestionRecord, describe_question, passages_of
from .run_card import RunCard, describe_run

Corpus = Callable[[], Iterable[Passage]]
"""Gives the passages of a corpus, anew each time."""


NEEDED = ("question", "answers", "supporting", "answer", "metrics", "passages", "evidence", "trajectory", "cost")
"""The fields that every row has."""


class RunPage(TypedDict):
    """Everything that a page shows of a run."""

    name: str
    """The run's name."""
    header: Header
    """The run's header."""
    card: RunCard
    """The run's card."""
    figures: Figures
    """Its figures, ready to be drawn."""
    summary: Summary
    """Its summary, as summary.json has it."""
    questions: QuestionList
    """The table."""
    chunk_sizes: list[int]
    """The number of questions in each chunk."""
    chunks: list[str]
    """The questions in full, packed, in the order of the table."""


def describe_whole_run(folder: Folder, corpus: Corpus | None = None) -> RunPage:
    """The run in a folder as plain values.

    Args:
        folder: The run's folder.
        corpus: The passages that were searched; without them passages are shown by their titles alone.

    Raises:
        InputError: The folder holds no run, an empty or a damaged one.
        MismatchError: The corpus holds none of the run's passages.
    """
    header, table = read_header(folder), QuestionTable()
    last: dict[str, int] = {}
    summary = summarize(_all_rows(folder, last), header, total_paid(folder))
    if not last:
        raise InputError(f"{folder} is a run without a finished question; there is nothing to show.")
    texts = None
    if corpus is not None:
        records = map(describe_question, _last_rows(folder, last))
        texts = read_texts({each["id"] for record in records for each in passages_of(record)}, corpus())
    chunks = list(pack_in_chunks(_records(_last_rows(folder, last), table, texts)))
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


def _all_rows(folder: Folder, last: dict[str, int]) -> Iterator[Row]:
    """All rows as they were written; the place of the last one of each question is noted."""
    for place, row in enumerate(read_rows(folder)):
        last[row["id"]] = place
        yield row


def _last_rows(folder: Folder, last: Mapping[str, int]) -> Iterator[Row]:
    """The last row of each question, one at a time, however many there are.

    Raises:
        DamagedFileError: A row lacks what every row has.
    """
    for place, row in enumerate(read_rows(folder)):
        if last.get(row["id"]) != place:
            continue
        if missing := [name for name in NEEDED if name not in row]:
            raise DamagedFileError(f"{folder}: the row of question '{row['id']}' is damaged: it lacks '{missing[0]}'.")
        yield row


def _records(rows: Iterable[Row], table: QuestionTable, texts: PassageTexts | None) -> Iterator[QuestionRecord]:
    for row in rows:
        table.add(row)
        record = describe_question(row)
        if texts is not None:
            add_texts(record, texts)
        yield record
