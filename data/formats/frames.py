"""FRAMES: questions over two to fifteen Wikipedia articles, which are named and not brought."""

from __future__ import annotations

from ..files.record import Record
from ..question import Question
from .answers import read_accepted, read_answers
from .format import Format
from .pages import page_id, split_addresses


def read(record: Record) -> Question:
    """One question; its gold paragraphs are whole articles, by their titles.

    The kinds of reasoning it asks for, "|" between them, are its type.

    Examples:
        >>> from multihop.data.formats import frames
        >>> from multihop.data.files.record import Record
        >>> question = frames.read(Record({
        ...     "id": 3, "Prompt": "Where was the author of Emma born?", "Answer": "Steventon",
        ...     "reasoning_types": "Multiple constraints",
        ...     "wiki_links": "['https://en.wikipedia.org/wiki/Emma_(novel)', "
        ...                   "'https://en.wikipedia.org/wiki/Jane_Austen#Family']",
        ... }, "example"))
        >>> question.supporting, question.type
        (('Emma (novel)', 'Jane Austen'), 'Multiple constraints')
    """
    links = [link for text in read_answers(record, "wiki_links") for link in split_addresses(text)]
    accepted = read_accepted(record, "Answer")
    return Question(
        id=record.identifier("id"),
        question=record.require_text("Prompt"),
        answers=accepted.answers,
        supporting=tuple(dict.fromkeys(map(page_id, links))),
        type=record.text("reasoning_types", default=""),
        answerable=accepted.answerable,
    )


FORMAT = Format("FRAMES", ("Prompt", ("Answer",), "wiki_links"), read)
