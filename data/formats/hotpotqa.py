"""HotpotQA: questions over two Wikipedia paragraphs, with their gold sentences."""

from __future__ import annotations

from ..files.record import Record
from ..question import Question
from .answers import read_accepted
from .format import Format
from .titled import read_context, read_supporting


def read(record: Record) -> Question:
    """One question of the official files (distractor and fullwiki) or of the hub's tables.

    Paragraph ids are titles. In the fullwiki files a gold paragraph may be missing from the question's own ones;
    in the test files all gold is kept back.

    Examples:
        >>> from multihop.data.formats import hotpotqa
        >>> from multihop.data.files.record import Record
        >>> question = hotpotqa.read(Record({
        ...     "_id": "h1", "question": "Where was the author of Emma born?", "answer": "Steventon", "type": "bridge",
        ...     "level": "easy", "supporting_facts": [["Emma", 0], ["Jane Austen", 1]],
        ...     "context": [["Emma", ["Emma is by Jane Austen."]], ["Jane Austen", ["Writer.", " Born in Steventon."]]],
        ... }, "example"))
        >>> question.supporting, question.passages[1].text
        (('Emma', 'Jane Austen'), 'Writer. Born in Steventon.')
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


FORMAT = Format("HotpotQA", ("question", "context"), read, nested="context")
