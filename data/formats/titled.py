"""Paragraphs that go by their titles and come in sentences, as HotpotQA and 2WikiMultiHopQA have them."""

from __future__ import annotations

from ...retrieval import Passage
from ..files.record import Record
from .format import content_id

Sentences = tuple[tuple[str, ...], ...]


def read_context(record: Record, *, joint: str) -> tuple[tuple[Passage, ...], Sentences]:
    """The question's own paragraphs, and the sentences of each.

    A paragraph's id is its title, as in the corpus these sets come from. If one question has two paragraphs of one
    title, the second gets an id from its content; a paragraph that is there twice is given once.

    Args:
        record: The question, with its paragraphs in "context".
        joint: The text between two sentences; empty if they bring their own spaces.
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
