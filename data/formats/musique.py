"""MuSiQue: questions composed of two to four single-hop ones, with the sub-questions and their paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...retrieval import Passage
from ..files.record import Record
from ..question import Question, SubQuestion, content_id
from .answers import read_accepted


def read_musique(record: Record) -> Question:
    """One question of MuSiQue-Ans or MuSiQue-Full, from the official files or the hub.

    Titles repeat in MuSiQue, so a paragraph's id is made of its title and content, the same in every question.
    MuSiQue-Full pairs each question with a twin of the same id whose paragraphs do not hold the answer: the twin's id
    ends in "#unanswerable" here, and it cannot be answered.
    """
    identifier = record.identifier("id")
    given = [record.text("answer", default=""), *record.texts("answer_aliases")]
    answers, answerable = read_accepted(record, "answer", given)
    passages: dict[str, Passage] = {}
    by_index: dict[int, str] = {}
    supporting: list[str] = []
    for position, paragraph in enumerate(record.records("paragraphs")):
        title, text = paragraph.text("title", default=""), paragraph.text("paragraph_text", "text")
        passage = Passage(content_id(title, text), title, text)
        passages[passage.id] = passage
        by_index[paragraph.integer("idx", default=position)] = passage.id
        if paragraph.flag("is_supporting", default=False):
            supporting.append(passage.id)
    hops = _hops(record.records("question_decomposition"), by_index)
    kind = kind_of(identifier)
    return Question(
        id=identifier if answerable else f"{identifier}#unanswerable",
        question=record.require_text("question"),
        answers=answers if answerable else (),
        supporting=tuple(dict.fromkeys(supporting)),
        passages=tuple(passages.values()),
        decomposition=hops,
        type=kind,
        hops=int(kind[0]) if kind else len(hops),
        answerable=answerable,
    )


def kind_of(identifier: str) -> str:
    """The kind of a question, which its id tells, with the number of hops first; empty where it does not."""
    kind = re.match(r"\dhop\d*(?=__)", identifier)
    return kind[0] if kind else ""


def fill_references(question: str, answers: Sequence[str]) -> str:
    """A sub-question with "#1", "#2" and so on replaced by the answers of the hops before it."""

    def answer(reference: re.Match[str]) -> str:
        hop = int(reference[1])
        return answers[hop - 1] if 1 <= hop <= len(answers) else reference[0]

    return re.sub(r"#(\d+)", answer, question)


def _hops(steps: Sequence[Record], by_index: Mapping[int, str]) -> tuple[SubQuestion, ...]:
    answers: list[str] = []
    hops: list[SubQuestion] = []
    for step in steps:
        question = fill_references(step.text("question"), answers)
        hops.append(SubQuestion(question, step.text("answer"), _paragraph(step, by_index)))
        answers.append(hops[-1].answer)
    return tuple(hops)


def _paragraph(step: Record, by_index: Mapping[int, str]) -> str:
    """The id of the paragraph that answers the hop; an unanswerable twin has lost some of them."""
    if not step.has("paragraph_support_idx"):
        return ""
    index = step.integer("paragraph_support_idx")
    if index not in by_index:
        raise step.error(f"'paragraph_support_idx' is {index}, but no paragraph has that 'idx'.")
    return by_index[index]
