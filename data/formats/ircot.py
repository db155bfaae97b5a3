"""The files that IRCoT's authors released: one layout for HotpotQA, 2WikiMultiHopQA, MuSiQue and IIRC."""

from __future__ import annotations

import re

from ...retrieval import Passage
from ..files.record import Record
from ..question import Question, SubQuestion
from .answers import read_accepted, read_answers
from .format import Format, content_id
from .musique import kind_of

_BETWEEN = " >>>> "
"""The text between a step's question and its answer."""


def read(record: Record) -> Question:
    """One question, with its own paragraphs and, of MuSiQue, its steps.

    Paragraph ids are as in the sets themselves: titles in HotpotQA and 2WikiMultiHopQA, made of title and content in
    the others, where titles repeat.

    Examples:
        >>> from multihop.data.formats import ircot
        >>> from multihop.data.files.record import Record
        >>> question = ircot.read(Record({
        ...     "id": "5a0001", "dataset": "hotpotqa", "question_text": "Where was the author of Emma born?",
        ...     "answers_objects": [{"number": "", "date": {"day": "", "month": ""}, "spans": ["Steventon"]}],
        ...     "contexts": [{"idx": 0, "title": "Emma", "paragraph_text": "By Jane Austen.", "is_supporting": True},
        ...                  {"idx": 1, "title": "Dusk", "paragraph_text": "A novel.", "is_supporting": False}],
        ... }, "example"))
        >>> question.answers, question.supporting, len(question.passages)
        (('Steventon',), ('Emma',), 2)
    """
    identifier = record.identifier("id", "question_id")
    kind, titled = kind_of(identifier), _goes_by_titles(record, identifier)
    passages: dict[str, Passage] = {}
    supporting: dict[str, None] = {}
    for paragraph in record.records("contexts"):
        title, text = paragraph.text("title", default=""), paragraph.text("paragraph_text")
        name = title if titled else content_id(title, text)
        if passages.get(name, (name, title, text)) != (name, title, text):
            name = content_id(title, text)
        passages[name] = Passage(name, title, text)
        if paragraph.flag("is_supporting", default=False):
            supporting[name] = None
    accepted = read_accepted(record, "answers_objects", map(_answer, record.records("answers_objects")))
    hops = tuple(_step(step) for step in record.texts("reasoning_steps") if _BETWEEN in step)
    return Question(
        id=identifier,
        question=record.require_text("question_text"),
        answers=accepted.answers,
        supporting=tuple(supporting),
        passages=tuple(passages.values()),
        decomposition=hops,
        type=record.text("type", default=kind),
        level=record.text("level", default=""),
        hops=int(kind[0]) if kind else len(supporting),
        answerable=accepted.answerable,
    )


def _goes_by_titles(record: Record, identifier: str) -> bool:
    """True if this is of HotpotQA, which says so, or of 2WikiMultiHopQA, whose ids look like no other's."""
    return record.text("dataset", default="") == "hotpotqa" or re.fullmatch("[0-9a-f]{32}", identifier) is not None


def _answer(answer: Record) -> str:
    """The answer as text: its spans, its number, or its date."""
    date = answer.inner_record("date")
    parts = (date.fields.get(name) for name in ("day", "month", "year"))
    spans = ", ".join(answer.texts("spans"))
    return spans or next(iter(read_answers(answer, "number")), "") or " ".join(str(part) for part in parts if part)


def _step(step: str) -> SubQuestion:
    question, _, answer = step.partition(_BETWEEN)
    return SubQuestion(question, answer)


FORMAT = Format("IRCoT's files", ("question_text", ("answers_objects",), "contexts"), read)
