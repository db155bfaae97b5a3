"""MultiHop-RAG: questions over two to four news articles, and some that no article answers."""

from __future__ import annotations

from ..files.record import Record
from ..question import Question
from .answers import read_accepted
from .format import Format
from .pages import page_id


def read(record: Record) -> Question:
    """One question; the ids of its gold articles are their addresses, as in the set's corpus.

    The accepted answer to a question that no article answers ("null_query") is the set's own: that the information is
    insufficient. Such a question has no gold articles.

    Examples:
        >>> from multihop.data.formats import multihop_rag
        >>> from multihop.data.files.record import Record
        >>> question = multihop_rag.read(Record({
        ...     "id": "q1", "query": "Do both praise Emma?", "answer": "Yes", "question_type": "comparison_query",
        ...     "evidence_list": [{"title": "Emma", "url": "https://a.example/emma", "fact": "It is good."},
        ...                       {"title": "Emma again", "url": "https://b.example/1", "fact": "It is very good."}],
        ... }, "example"))
        >>> question.supporting, question.type, question.hops
        (('https://a.example/emma', 'https://b.example/1'), 'comparison_query', 2)
    """
    articles = dict.fromkeys(page_id(article.require_text("url")) for article in record.records("evidence_list"))
    accepted = read_accepted(record, "answer")
    return Question(
        id=record.identifier("id"),
        question=record.require_text("query"),
        answers=accepted.answers,
        supporting=tuple(articles),
        type=record.text("question_type", default=""),
        hops=len(articles),
        answerable=accepted.answerable,
    )


FORMAT = Format("MultiHop-RAG", ("query", "evidence_list"), read)
