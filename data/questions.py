"""Questions read from records of any layout, each with an id of its own; all of them tell the answer, or none."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..base import InputError, MismatchError
from .files.record import Record
from .formats.answers import ALIAS_FIELDS, ANSWER_FIELDS, tells_answer
from .formats.hotpotqa import read_aliases, read_two_wiki
from .formats.known_formats import Format, format_of
from .formats.rows import ID_FIELDS, QUESTION_FIELDS
from .question import Question, question_id
from .reading import OnBad, refuse

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
    if layout.read is not read_two_wiki:
        raise first.error(
            f"aliases go with questions in the layout of 2WikiMultiHopQA, but this is {layout.name}.", MismatchError
        )
    if not first.has("answer_id"):
        raise first.error("aliases need questions with 'answer_id'; take the files that have ids.", MismatchError)
    table = read_aliases(aliases)
    return lambda record: read_two_wiki(record, table)


def id_field(record: Record) -> str | None:
    """The field that holds the record's id, if any."""
    return next((name for name in ID_FIELDS if record.has(name)), None)


def with_id(record: Record, field: str | None) -> Record:
    """The record with its id under "id": what the field holds, or made from the question where there is no field.

    An id is made from the question's words alone, and not from its place, so that it stays the same when the file is
    sorted, cut or added to, and a run of it goes on.
    """
    if field in ("id", "_id"):
        return record
    identifier = record.fields.get(field) if field else question_id(record.require_text(*QUESTION_FIELDS))
    return Record({**record.fields, "id": identifier}, record.where)


class UniqueIds:
    """Sees to it that no two questions of a source share an id."""

    def __init__(self) -> None:
        """None seen yet."""
        self._places: dict[str, str] = {}
        self._copies: Counter[str] = Counter()

    def check(self, question: Question, record: Record, *, made: bool) -> Question:
        """The question; the second of two that are alike gets a made id with a number, a given id must be unique."""
        if made:
            self._copies[question.id] += 1
            if self._copies[question.id] > 1:
                question = replace(question, id=f"{question.id}-{self._copies[question.id]}")
        if question.id in self._places:
            raise record.error(f"the question id '{question.id}' is already used at {self._places[question.id]}.")
        self._places[question.id] = record.where
        return question


class AnswerCheck:
    """Refuses a record without an answer where others have one: it was forgotten, or the question has none."""

    def __init__(self, all_records: Callable[[], Iterable[Record]]) -> None:
        """Nothing is known yet.

        Args:
            all_records: Gives the records from the start; asked once, and only where a record without an answer comes
                before any with one.
        """
        self._all_records = all_records
        self._some: bool | None = None

    def check(self, record: Record) -> None:
        """Refuse the record, or not.

        Raises:
            InputError: It does not say what the answer is, and another does.
        """
        if tells_answer(record):
            self._some = True
            return
        if self._some is None:
            self._some = any(map(tells_answer, self._all_records()))
        if self._some:
            raise record.error(
                'this question has no answer, and others have one; add it, or "answers": [] if it cannot be answered.'
            )
