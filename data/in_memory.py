"""Questions given in Python: ours, dictionaries, or `dspy.Example`s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..base import InputError
from .files.record import Record
from .question import Question
from .questions import AnswerCheck, UniqueIds, id_field, with_id
from .reading import OnBad, Reading

_FIELDS = frozenset(Question.__slots__)
_KINDS = "a Question, a dict or a dspy.Example with a question and its answers"


def as_question(value: Any) -> Question:
    """The question that the value holds: a `Question` as it is, a dict or a `dspy.Example` by the names of its fields.

    The names are those of question files (`open_questions`): any known layout, or a question and its answers under
    their usual names. Where there is no id, one is made from the question.

    Examples:
        >>> from multihop.data import as_question
        >>> as_question({"query": "Who wrote Emma?", "target": ["Jane Austen", "Austen"]}).answers
        ('Jane Austen', 'Austen')
        >>> import dspy
        >>> as_question(dspy.Example(id="q1", question="Who?", answer="Ada").with_inputs("question")).id
        'q1'
    """
    return _read(value, "the question", None)[0]


def as_questions(values: Iterable[Any]) -> Reading[Question]:
    """Each value as a question (`as_question`), when it is gone through, as often as the values can be.

    Either all of them say what the answer is, or none does (`open_questions`). Ids are unique: one that is given twice
    is an error, and where two questions without ids are alike, the second's made id gets a number. An iterator, which
    can be gone through once only, is kept as a list.

    Examples:
        >>> from multihop.data import as_questions
        >>> rows = [{"question": "Who wrote Emma?", "answer": "Jane Austen"}, {"question": "Who?", "answer": "Ada"}]
        >>> [question.answer for question in as_questions(rows)]
        ['Jane Austen', 'Ada']
    """
    if isinstance(values, str | bytes | Mapping | Question) or not isinstance(values, Iterable):
        raise InputError(
            f"the questions must be an iterable, each item {_KINDS}, not {type(values).__name__}; "
            "open a file with open_questions."
        )
    if isinstance(values, Iterator):
        values = list(values)

    def read(on_bad: OnBad) -> Iterator[Question]:
        ids, answered = UniqueIds(), AnswerCheck(lambda: filter(None, map(_record, values)))
        for number, value in enumerate(values, start=1):
            question, made = _read(value, f"question {number}", answered)
            yield ids.check(question, Record({}, f"question {number}"), made=made)

    return Reading(read, "questions")


def _read(value: Any, where: str, answered: AnswerCheck | None) -> tuple[Question, bool]:
    """The question, and whether its id was made."""
    if isinstance(value, Question):
        return value, False
    record = _record(value, where)
    if record is None:
        raise InputError(f"{where} must be {_KINDS}, but is {type(value).__name__}.")
    fields = record.fields
    if fields.keys() >= _FIELDS and isinstance(fields["answers"], tuple):  # what `Question.to_example` made
        return Question(**{name: fields[name] for name in Question.__slots__}), False
    from .formats.known_formats import format_of  # all layouts; questions that are made already need none

    field = id_field(record)
    question = format_of(record).read(with_id(record, field))
    if answered is not None:
        answered.check(record)
    return question, field is None


def _record(value: Any, where: str = "") -> Record | None:
    """The fields of a dict or an example; None of what has none, or is a question already."""
    items = None if isinstance(value, Question) else getattr(value, "items", None)
    return Record(dict(items()), where) if callable(items) else None  # to ask for dspy.Example would import DSPy
