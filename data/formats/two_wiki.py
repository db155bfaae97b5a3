"""2WikiMultiHopQA: questions built from Wikidata and Wikipedia, with the triples that lead to the answer."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ...base import InputError
from ..files.record import Record
from ..files.record_file import read_records
from ..question import Question, SubQuestion
from .answers import accepted_answers, read_accepted
from .format import Format
from .titled import read_context, read_supporting

HOPS = {"compositional": 2, "inference": 2, "comparison": 2, "bridge_comparison": 4}

Aliases = Mapping[str, tuple[str, ...]]


def read(record: Record, aliases: Aliases | None = None) -> Question:
    """One question of the official files or of the hub's tables; paragraph ids are titles.

    Args:
        record: The question.
        aliases: Further names by Wikidata id (`read_aliases`); the record's "answer_id" finds those of its answer.

    Examples:
        >>> from multihop.data.formats import two_wiki
        >>> from multihop.data.files.record import Record
        >>> question = two_wiki.read(Record({
        ...     "_id": "w1", "question": "Where was the director of Solaris born?", "answer": "Zavrazhye",
        ...     "type": "compositional", "context": [], "supporting_facts": [["Solaris", 0], ["Andrei Tarkovsky", 0]],
        ...     "evidences": [["Solaris", "director", "Andrei Tarkovsky"],
        ...                   ["Andrei Tarkovsky", "place of birth", "Zavrazhye"]],
        ... }, "example"))
        >>> question.hops, question.decomposition[0].triple, question.decomposition[0].answer
        (2, ('Solaris', 'director', 'Andrei Tarkovsky'), 'Andrei Tarkovsky')
    """
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


FORMAT = Format("2WikiMultiHopQA", ("question", "context", "evidences"), read)
