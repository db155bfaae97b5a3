"""Ids for the questions of a source: its own under their usual names, or made from the questions; each once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from .files.record import Record
from .formats.format import question_id
from .formats.plain import ID_FIELDS, QUESTION_FIELDS
from .question import Question


def id_field(record: Record) -> str | None:
    """The field that holds the record's id, if any."""
    return next((name for name in ID_FIELDS if record.has(name)), None)


def with_id(record: Record, field: str | None) -> Record:
    """The record with its id under "id": what the field holds, or made from the question where there is no field.

    An id is made from the question's words alone, and not from its place, so that it stays the same when the file is
    sorted, cut or added to, and a run of it goes on.

    Examples:
        >>> from multihop.data.ids import with_id
        >>> from multihop.data.files.record import Record
        >>> with_id(Record({"qid": 7, "question": "Who?"}, "example"), "qid").fields["id"]
        7
    """
    if field in ("id", "_id"):
        return record
    identifier = record.fields.get(field) if field else question_id(record.require_text(*QUESTION_FIELDS))
    return Record({**record.fields, "id": identifier}, record.where)


class UniqueIds:
    """Sees to it that no two questions of a source share an id.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.ids import UniqueIds
        >>> from multihop.data.files.record import Record
        >>> ids, twice = UniqueIds(), Question(id="q-1", question="Who?", answers=())
        >>> [ids.check(twice, Record({}, f"line {line}"), made=True).id for line in (1, 2)]
        ['q-1', 'q-1-2']
    """

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
