"""Questions read from records, whatever their layout, each with an id of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from ..base import InputError, MismatchError
from .answer_check import AnswerCheck
from .files.record import Record
from .formats import two_wiki
from .formats.answers import ALIAS_FIELDS, ANSWER_FIELDS
from .formats.format import Format
from .formats.known_formats import format_of
from .formats.plain import QUESTION_FIELDS
from .ids import ID_FIELDS, UniqueIds, id_field, with_id
from .question import Question
from .skipped import OnBad, refuse

QUESTION_NAMES: dict[str, tuple[str, ...]] = {
    "id": ID_FIELDS,
    "question": QUESTION_FIELDS,
    "answer": (*ANSWER_FIELDS, *ALIAS_FIELDS),
    "answers": (*ANSWER_FIELDS, *ALIAS_FIELDS),
    "supporting": ("supporting",),
    "type": ("type",),
}
"""The fields of questions that can be renamed (`rename_fields`), each with its usual names."""


def read_questions(
    records: Iterable[Record],
    source: str,
    *,
    aliases: str | os.PathLike[str] | None = None,
    on_bad: OnBad = refuse,
    reread: Callable[[], Iterable[Record]] | None = None,
) -> Iterator[Question]:
    """The questions that records hold; the first one in a known layout decides the layout.

    If the first question has no id, ids are made for all.

    Args:
        records: The records.
        source: The name of the source in the error that is raised if there are no records.
        aliases: For 2WikiMultiHopQA: its `id_aliases.json`.
        on_bad: Told of each record that is no question; it raises, or the record is left out.
        reread: Gives the records from the start; with it, a question without the answer that others have is refused.
    """
    read: Callable[[Record], Question] | None = None
    answered = AnswerCheck(reread) if reread else None
    field, ids, found = None, UniqueIds(), False
    for record in records:
        try:
            layout = format_of(record) if read is None else None
        except InputError as error:
            on_bad(error)
            continue
        if layout:
            read = _reader(layout, record, aliases)
        assert read is not None
        try:
            field = field if found else id_field(record)
            question = read(with_id(record, field))
            if answered is not None:
                answered.check(record)
            question = ids.check(question, record, made=field is None)
        except InputError as error:
            on_bad(error)
            read = read if found else None
            continue
        found = True
        yield question
    if not found:
        raise InputError(f"{source} holds no questions.")


def _reader(layout: Format, first: Record, aliases: str | os.PathLike[str] | None) -> Callable[[Record], Question]:
    if aliases is None:
        return layout.read
    if layout is not two_wiki.FORMAT:
        raise first.error(
            f"aliases go with questions in the layout of 2WikiMultiHopQA, but this is {layout.name}.", MismatchError
        )
    if not first.has("answer_id"):
        raise first.error("aliases need questions with 'answer_id'; take the files that have ids.", MismatchError)
    table = two_wiki.read_aliases(aliases)
    return lambda record: two_wiki.read(record, table)
