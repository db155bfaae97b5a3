"""Questions of a source or of Python: opened, read in the layout of their records, each with an id of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..base import InputError
from .answers import tells_answer
from .formats import format_of
from .little import Little, is_little
from .question import LONGEST_ID, Question, question_id
from .reading import OnBad, Reading, refuse
from .record import ID_FIELDS, QUESTION_FIELDS, QUESTION_NAMES, Record, check_fields, rename_fields
from .sources import Source, check_source, read_questions_of, read_source

_FIELDS = frozenset(Question.__slots__)
_KINDS = "a Question, a dict or a dspy.Example with a question and its answers"


def open_questions(
    source: Source,
    *,
    limit: int | None = None,
    fields: Mapping[str, str] | None = None,
    skip_bad: int = 0,
) -> Reading[Question]:
    r"""The questions of a source, read and checked each time they are gone through.

    Args:
        source: "little" for the little encyclopedia, "little:train" and "little:dev" for its parts; the path of a file
            of HotpotQA, 2WikiMultiHopQA, MuSiQue, FlashRAG, IRCoT or `write_questions`, or of any other with questions
            and answers under usual names, whose layout is told by its first record; a folder of such files, or one of
            BEIR or HippoRAG, which has its corpus too; or "hub:OWNER/NAME[/CONFIG][:SPLIT]", also "hub:" and the short
            name of a known set.
        limit: At most so many, from the start.
        fields: The name of the "question", "answer", "id", "supporting" or "type" field, where it is not a usual one:
            {"question": "prompt"}.
        skip_bad: Leave out at most so many records that cannot be used; `skipped` of what is returned counts them.

    A field for the answer that is empty says that the question cannot be answered; either all records have such a
    field, or none, and then no answer is known (docs/data.md).

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import open_questions
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
        >>> _ = path.write_text("id,ask,answer\n1,Who wrote Emma?,Jane Austen\n")
        >>> questions = open_questions(path, fields={"question": "ask"})
        >>> [(question.id, question.question, question.answer) for question in questions]
        [('1', 'Who wrote Emma?', 'Jane Austen')]
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, not {limit}.")
    names = check_fields(fields, QUESTION_NAMES)
    if is_little(source):
        part = str(source).partition(":")[2] or None
        return Reading(lambda on_bad: Little().questions(part), str(source), limit=limit, skip_bad=skip_bad)
    check_source(source)

    def read(on_bad: OnBad) -> Iterator[Question]:
        def records(on_bad: OnBad) -> Iterator[Record]:
            return rename_fields(read_source(source, on_bad, read_questions_of), names, QUESTION_NAMES)

        reread = partial(records, lambda error: None)
        return read_questions(records(on_bad), str(source), on_bad=on_bad, reread=reread)

    return Reading(read, str(source), limit=limit, skip_bad=skip_bad)


def as_questions(values: Iterable[Any]) -> Reading[Question]:
    """The questions that the values hold, read when they are gone through, as often as the values can be.

    A value is a `Question`, a dict or a `dspy.Example`, whose fields have the names of question files
    (`open_questions`): any known layout, or a question and its answers under their usual names.

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
        unique, answered = _unique_ids(), _answer_check(lambda: filter(None, map(_record, values)))
        for number, value in enumerate(values, start=1):
            question, made = _read(value, f"question {number}", answered)
            yield unique(question, Record({}, f"question {number}"), made)

    return Reading(read, "questions")


def read_questions(
    records: Iterable[Record],
    source: str,
    *,
    on_bad: OnBad = refuse,
    reread: Callable[[], Iterable[Record]] | None = None,
) -> Iterator[Question]:
    """The questions that records hold; the first one in a known layout decides the layout.

    If the first question has no id, ids are made for all.
    """
    answered = _answer_check(reread) if reread else None
    unique, found = _unique_ids(), False
    for record in records:
        try:
            if not found:
                read, field = format_of(record).read, _id_field(record)
            question = read(_with_id(record, field))
            if answered is not None:
                answered(record)
            question = unique(question, record, field is None)
        except InputError as error:
            on_bad(error)
            continue
        found = True
        yield question
    if not found:
        raise InputError(f"{source} holds no questions.")


def _id_field(record: Record) -> str | None:
    """The field that holds the record's id, if any."""
    return next((name for name in ID_FIELDS if record.has(name)), None)


def _with_id(record: Record, field: str | None) -> Record:
    """The record with its id under "id": what the field holds, or made from the question where there is no field.

    An id is made from the question's words alone, and not from its place, so that it stays the same when the file is
    sorted, cut or added to, and a run of it goes on.
    """
    if field in ("id", "_id"):
        return record
    identifier = record.fields.get(field) if field else question_id(record.require_text(*QUESTION_FIELDS))
    return Record({**record.fields, "id": identifier}, record.where)


def _unique_ids() -> Callable[[Question, Record, bool], Question]:
    """Gives back each question of a source; of two with one made id the second gets a number, a given one is unique."""
    places, copies = dict[str, str](), Counter[str]()

    def check(question: Question, record: Record, made: bool) -> Question:
        if made:
            copies[question.id] += 1
            if copies[question.id] > 1:
                question = replace(question, id=f"{question.id}-{copies[question.id]}")
        if len(question.id) > LONGEST_ID:
            raise record.error(f"a question id has at most {LONGEST_ID:,} characters; '{question.id:.40}…' has more.")
        if question.id in places:
            raise record.error(f"the question id '{question.id}' is already used at {places[question.id]}.")
        places[question.id] = record.where
        return question

    return check


def _answer_check(all_records: Callable[[], Iterable[Record]]) -> Callable[[Record], None]:
    """Refuses a record without an answer where others have one: it was forgotten, or the question has none."""
    some: bool | None = None

    def check(record: Record) -> None:
        nonlocal some
        tells = tells_answer(record)
        if tells:
            some = True
        elif some is None:  # asked once, where a record without an answer comes before any with one
            some = any(map(tells_answer, all_records()))
        if some and not tells:
            raise record.error(
                'this question has no answer, and others have one; add it, or "answers": [] if it cannot be answered.'
            )

    return check


def _read(value: Any, where: str, answered: Callable[[Record], None]) -> tuple[Question, bool]:
    """The question, and whether its id was made."""
    if isinstance(value, Question):
        return value, False
    record = _record(value, where)
    if record is None:
        raise InputError(f"{where} must be {_KINDS}, but is {type(value).__name__}.")
    fields = record.fields
    if fields.keys() >= _FIELDS and isinstance(fields["answers"], tuple):  # what `Question.to_example` made
        return Question(**{name: fields[name] for name in Question.__slots__}), False
    field = _id_field(record)
    question = format_of(record).read(_with_id(record, field))
    answered(record)
    return question, field is None


def _record(value: Any, where: str = "") -> Record | None:
    """The fields of a dict or an example; None of what has none, or is a question already."""
    items = None if isinstance(value, Question) else getattr(value, "items", None)
    return Record(dict(items()), where) if callable(items) else None  # to ask for dspy.Example would import DSPy
