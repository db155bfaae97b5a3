"""StrategyQA: yes-or-no questions whose steps are implied, with the paragraphs that annotators found for each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..files.record import Record
from ..question import Question
from .answers import read_accepted
from .format import Format

_MARKS = ("operation", "no_evidence")
"""Marks in the evidence for a step that no paragraph answers."""


def read(record: Record) -> Question:
    """One question; true is "yes".

    The gold paragraphs are those of the first annotator who names any: each of the annotators has a whole set. The
    steps have no answers of their own, so that only their number is kept.

    Examples:
        >>> from multihop.data.formats import strategyqa
        >>> from multihop.data.files.record import Record
        >>> question = strategyqa.read(Record({
        ...     "id": "s1", "term": "Emma", "question": "Could Emma's author fly?", "answer": False,
        ...     "facts": ["Jane Austen lived before aeroplanes."],
        ...     "decomposition": ["Who wrote Emma?", "Did #1 live after aeroplanes?"],
        ...     "evidence": [[[["Emma-1"]], ["operation"]], [[["Jane Austen-2"]], ["no_evidence"]]],
        ... }, "example"))
        >>> question.answers, question.supporting, question.hops
        (('no',), ('Emma-1',), 2)
    """
    annotators = record.fields.get("evidence") or ()
    named = (tuple(dict.fromkeys(_paragraphs(record, annotator))) for annotator in annotators)
    accepted = read_accepted(record, "answer")
    return Question(
        id=record.identifier("id"),
        question=record.require_text("question"),
        answers=accepted.answers,
        supporting=next((paragraphs for paragraphs in named if paragraphs), ()),
        hops=len(record.texts("decomposition")),
        answerable=accepted.answerable,
    )


def _paragraphs(record: Record, evidence: Any) -> Iterator[str]:
    """The ids in lists within lists, however deep."""
    if isinstance(evidence, list | tuple):
        for item in evidence:
            yield from _paragraphs(record, item)
    elif evidence not in _MARKS:
        yield record.check_text("'evidence'", evidence)


FORMAT = Format("StrategyQA", ("question", "term", "facts"), read)
