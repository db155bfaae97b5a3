"""HotpotQA and 2WikiMultiHopQA: questions over Wikipedia paragraphs that go by their titles and come in sentences."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ...base import InputError
from ...retrieval import Passage
from ..files.record import Record
from ..files.record_file import read_records
from ..question import Question, SubQuestion, content_id
from .answers import accepted_answers, read_accepted

HOPS = {"compositional": 2, "inference": 2, "comparison": 2, "bridge_comparison": 4}
"""The number of hops by 2WikiMultiHopQA's types."""
Aliases = Mapping[str, tuple[str, ...]]
Sentences = tuple[tuple[str, ...], ...]


def read_hotpotqa(record: Record) -> Question:
    """One question of the official files (distractor and fullwiki) or of the hub's tables.

    Paragraph ids are titles. In the fullwiki files a gold paragraph may be missing from the question's own ones;
    in the test files all gold is kept back.
    """
    passages, sentences = read_context(record, joint="")
    supporting, supporting_sents = read_supporting(record)
    accepted = read_accepted(record, "answer", [record.text("answer", default="")], blind=not supporting)
    return Question(
        id=record.identifier("_id", "id"),
        question=record.require_text("question"),
        answers=accepted.answers,
        supporting=supporting,
        supporting_sents=supporting_sents,
        passages=passages,
        sentences=sentences,
        type=record.text("type", default=""),
        level=record.text("level", default=""),
        hops=len(supporting),
        answerable=accepted.answerable,
    )


def read_two_wiki(record: Record, aliases: Aliases | None = None) -> Question:
    """One question of the official files or of the hub's tables; paragraph ids are titles."""
    passages, sentences = read_context(record, joint=" ")
    supporting, supporting_sents = read_supporting(record)
    kind = record.text("type", default="")
    others = aliases.get(record.text("answer_id", default=""), ()) if aliases else ()
    answers = [record.text("answer", default=""), *others]
    accepted = read_accepted(record, "answer", answers, blind=not supporting)  # in the test file all gold is kept back
    return Question(
        id=record.identifier("_id", "id"),
        question=record.require_text("question"),
        answers=accepted.answers,
        supporting=supporting,
        supporting_sents=supporting_sents,
        passages=passages,
        sentences=sentences,
        decomposition=tuple(_hop(triple) for triple in record.records("evidences", ("fact", "relation", "entity"))),
        type=kind,
        hops=HOPS.get(kind, 0),
        answerable=accepted.answerable,
    )


def read_aliases(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Further names by Wikidata id, from the official `id_aliases.json`: aliases first, then demonyms.

    The set's own evaluation counts them as right answers.
    """
    table = {
        record.identifier("Q_id"): accepted_answers(*record.texts("aliases"), *record.texts("demonyms"))
        for record in read_records(path)
    }
    if not table:
        raise InputError(f"{path} holds no aliases.")
    return table


def _hop(triple: Record) -> SubQuestion:
    subject, relation, answer = triple.text("fact"), triple.text("relation"), triple.text("entity")
    return SubQuestion(question="", answer=answer, triple=(subject, relation, answer))


def read_context(record: Record, *, joint: str) -> tuple[tuple[Passage, ...], Sentences]:
    """The question's own paragraphs, and the sentences of each.

    A paragraph's id is its title, as in the corpus these sets come from. If one question has two paragraphs of one
    title, the second gets an id from its content; a paragraph that is there twice is given once.
    """
    passages: dict[str, Passage] = {}
    sentences: list[tuple[str, ...]] = []
    for paragraph in record.records("context", ("title", "sentences")):
        title, parts = paragraph.text("title"), paragraph.texts("sentences", "content")
        passage = Passage(title, title, joint.join(parts))
        if title in passages and passages[title] != passage:
            passage = passage._replace(id=content_id(title, passage.text))
        if passage.id not in passages:
            passages[passage.id] = passage
            sentences.append(parts)
    return tuple(passages.values()), tuple(sentences)


def read_supporting(record: Record) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """The gold paragraphs, and the gold sentences as (paragraph, sentence index); ids are titles."""
    facts = record.records("supporting_facts", ("title", "sent_id"))
    sents = tuple((fact.text("title"), fact.integer("sent_id")) for fact in facts)
    return tuple(dict.fromkeys(title for title, _ in sents)), sents
