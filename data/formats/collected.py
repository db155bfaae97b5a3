"""Sets as others have collected them: FlashRAG's and HippoRAG's files, and those that IRCoT's authors released."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ...retrieval import Passage
from ..files.record import Record
from ..question import Question, SubQuestion, content_id
from .answers import read_accepted, read_answers
from .hotpotqa import read_hotpotqa, read_two_wiki
from .musique import kind_of, read_musique

_OF_POPQA = ("obj", "possible_answers", "o_wiki_title", "o_aliases")
"""The fields that hold PopQA's answer and its other names."""
_BETWEEN = " >>>> "
"""The text between a step's question and its answer in IRCoT's files."""


def read_flashrag(record: Record) -> Question:
    """One question of any set of the collection, with all that "metadata" says of it.

    That is understood where it has the fields of HotpotQA, 2WikiMultiHopQA or MuSiQue; of other sets it is left aside.
    """
    metadata = record.inner_record("metadata")
    inner = Record(
        {**metadata.fields, "id": record.identifier("id"), "question": record.require_text("question")}, record.where
    )
    answers, answerable = read_accepted(record, "golden_answers")
    if metadata.has("question_decomposition"):
        question = read_musique(Record({**inner.fields, **_official(metadata)}, record.where))
    elif metadata.has("evidences"):
        question = read_two_wiki(inner)
    elif metadata.has("context") or metadata.has("supporting_facts"):
        question = read_hotpotqa(inner)
    else:
        question = Question(id=inner.identifier("id"), question=inner.text("question"), answers=())
    answerable = answerable and question.answerable
    return replace(question, answers=answers if answerable else (), answerable=answerable)


def _official(metadata: Record) -> dict[str, Any]:
    """MuSiQue's own fields: here each hop brings its paragraph with it, and there are no others."""
    paragraphs: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for step in metadata.records("question_decomposition"):
        index = None
        if step.has("support_paragraph"):
            index = len(paragraphs)
            paragraphs.append({**step.inner_record("support_paragraph").fields, "idx": index, "is_supporting": True})
        steps.append({**step.fields, "paragraph_support_idx": index})
    return {"paragraphs": paragraphs, "question_decomposition": steps}


def read_hipporag(record: Record) -> Question:
    """One question of a set that brings its paragraphs as "contexts": PopQA and NQ, as they are beside the others.

    HippoRAG's other sets are in the layouts of their makers. The answer is in "answer", "reference", or, of PopQA,
    "obj" with its other names. Paragraph ids are made of title and text, as for the corpus, which has none.
    """
    passages: dict[str, Passage] = {}
    supporting: dict[str, None] = {}
    for paragraph in record.records("contexts"):
        title, text = paragraph.text("title", default=""), paragraph.text("text", "paragraph_text")
        passage = Passage(content_id(title, text), title, text)
        passages[passage.id] = passage
        if paragraph.flag("is_supporting", default=False):
            supporting[passage.id] = None
    own = "obj" if record.has("obj") else "reference" if record.has("reference") else "answer"
    names = _OF_POPQA if own == "obj" else (own, "answer_aliases")
    accepted = read_accepted(record, own, [answer for name in names for answer in read_answers(record, name)])
    return Question(
        id=record.identifier("id", "_id"),
        question=record.require_text("question"),
        answers=accepted.answers,
        supporting=tuple(supporting),
        passages=tuple(passages.values()),
        hops=len(supporting),
        answerable=accepted.answerable,
    )


def read_ircot(record: Record) -> Question:
    """One question of the files that IRCoT's authors released, with its own paragraphs and, of MuSiQue, its steps.

    Paragraph ids are as in the sets themselves: titles in HotpotQA and 2WikiMultiHopQA, made of title and content in
    the others, where titles repeat.
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
