"""Questions with their answers under any of the usual names: what people have who follow no known set."""

from __future__ import annotations

from typing import Any

from ..files.record import Record
from ..question import Question
from . import compact
from .answers import ALIAS_FIELDS, ANSWER_FIELDS, answer_fields, read_answers
from .format import Format

ID_FIELDS = ("id", "_id", "qid", "question_id", "query_id")
"""The usual field names for the id of a question, in the order they are tried."""
QUESTION_FIELDS = ("question", "query", "question_text", "input", "problem", "Question", "Prompt")
"""The usual field names for a question, in the order they are tried."""
_LISTS: dict[str, type] = {
    "supporting": str, "supporting_titles": list, "supporting_sents": list, "context_ids": str, "decomposition": dict,
}  # fmt: skip
"""Lists of our own rows that are read here too, and what they must hold: other sets use some of the names."""
_VALUES: dict[str, type] = {"type": str, "level": str, "hops": int, "answerable": bool}
"""The same for single values."""


def read(record: Record) -> Question:
    """One question with its answers: each under any of its usual names, and the answer as text or as a list.

    Fields of `write_questions`, such as "supporting" or "hops", count too; others are left aside.

    Examples:
        >>> from multihop.data.formats import plain
        >>> from multihop.data.files.record import Record
        >>> question = plain.read(Record({"id": 7, "query": "Who wrote Emma?", "target": "Jane Austen"}, "example"))
        >>> question.id, question.question, question.answers
        ('7', 'Who wrote Emma?', ('Jane Austen',))
    """
    fields = {name: record.fields[name] for name in ("id", "_id") if name in record.fields}
    fields |= {name: record.fields[name] for name, kind in _LISTS.items() if _lists(record.fields.get(name), kind)}
    fields |= {name: record.fields[name] for name, kind in _VALUES.items() if type(record.fields.get(name)) is kind}
    fields["question"] = record.require_text(*QUESTION_FIELDS)
    usual = answer_fields(record)
    answers = [*read_answers(record, *usual), *read_answers(record, *ALIAS_FIELDS)]
    if usual or answers:
        fields["answers"] = answers
    return compact.read(Record(fields, record.where))


def _lists(value: Any, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, kind | tuple) for item in value)


FORMAT = Format("question and answer", (QUESTION_FIELDS, ANSWER_FIELDS), read)
ALONE = Format(
    "questions alone", (QUESTION_FIELDS,), read, alone=frozenset((*QUESTION_FIELDS, *ID_FIELDS, *_LISTS, *_VALUES))
)
"""Questions whose answers are not known: a field that we do not know might hold the answer, so that it has none."""
