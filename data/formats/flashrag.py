"""FlashRAG's collection: many question sets in one layout of JSON lines, with what each set knows in "metadata"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..files.record import Record
from ..question import Question
from . import hotpotqa, musique, two_wiki
from .answers import read_accepted
from .format import Format


def read(record: Record) -> Question:
    """One question of any set of the collection, with all that "metadata" says of it.

    That is understood where it has the fields of HotpotQA, 2WikiMultiHopQA or MuSiQue; of other sets it is left aside.

    Examples:
        >>> from multihop.data.formats import flashrag
        >>> from multihop.data.files.record import Record
        >>> question = flashrag.read(Record({
        ...     "id": "dev_0", "question": "Where was the author of Emma born?", "golden_answers": ["Steventon"],
        ...     "metadata": {"type": "bridge", "level": "easy",
        ...                  "supporting_facts": {"title": ["Emma", "Jane Austen"], "sent_id": [0, 0]},
        ...                  "context": {"title": ["Emma"], "sentences": [["By Jane Austen."]]}},
        ... }, "example"))
        >>> question.answer, question.type, question.supporting
        ('Steventon', 'bridge', ('Emma', 'Jane Austen'))
    """
    metadata = record.inner_record("metadata")
    inner = Record(
        {**metadata.fields, "id": record.identifier("id"), "question": record.require_text("question")}, record.where
    )
    answers, answerable = read_accepted(record, "golden_answers")
    if metadata.has("question_decomposition"):
        question = musique.read(Record({**inner.fields, **_official(metadata)}, record.where))
    elif metadata.has("evidences"):
        question = two_wiki.read(inner)
    elif metadata.has("context") or metadata.has("supporting_facts"):
        question = hotpotqa.read(inner)
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


FORMAT = Format("FlashRAG", ("question", ("golden_answers",)), read)
