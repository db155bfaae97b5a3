"""A whole run as plain values: its card, its figures, the table of its questions, and each question in chunks."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypedDict

from ..evaluation.journal.journal import read_header
from ..evaluation.report.summary import Summary, summarize
from ..retrieval import Passage
from ..runtime import total_paid
from .figures import Figures, describe_figures
from .packing import pack_in_chunks
from .passage_texts import PassageTexts, add_texts, read_texts
from .question_list import QuestionList, QuestionTable
from .question_record import QuestionRecord, describe_question, passages_of
from .run_card import RunCard, describe_run
from .run_rows import RunRows

Corpus = Callable[[], Iterable[Passage]]
"""Gives the passages of a corpus, anew each time."""


class RunPage(TypedDict):
    """Everything that a page shows of a run."""

    name: str
    """The run's name."""
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


def describe_whole_run(folder: str | os.PathLike[str], corpus: Corpus | None = None) -> RunPage:
    """The run in a folder as plain values.

    Args:
        folder: The run's folder.
        corpus: The passages that were searched; without them passages are shown by their titles alone.

    Raises:
        InputError: The folder holds no run, an empty or a damaged one.
        MismatchError: The corpus holds none of the run's passages.
    """
    header, rows, table = read_header(folder), RunRows(folder), QuestionTable()
    summary = summarize(rows.every(), header, total_paid(folder))
    texts = None if corpus is None else _texts(rows, corpus)
    chunks = list(pack_in_chunks(_records(rows, table, texts)))
    card = describe_run(header, summary, folder)
    return {
        "name": card["program"],
        "card": card,
        "figures": describe_figures(summary, header["identity"].get("metrics", {})),
        "summary": summary,
        "questions": table.columns,
        "chunk_sizes": [count for count, _ in chunks],
        "chunks": [chunk for _, chunk in chunks],
    }


def _records(rows: RunRows, table: QuestionTable, texts: PassageTexts | None) -> Iterator[QuestionRecord]:
    for row in rows.counting():
        table.add(row)
        record = describe_question(row)
        if texts is not None:
            add_texts(record, texts)
        yield record


def _texts(rows: RunRows, corpus: Corpus) -> PassageTexts:
    wanted = {each["id"] for row in rows.counting() for each in passages_of(describe_question(row))}
    return read_texts(wanted, corpus())
