"""HippoRAG's question files: one JSON array a set, beside the set's `*_corpus.json`."""

from __future__ import annotations

from ...retrieval import Passage
from ..files.record import Record
from ..question import Question
from .answers import read_accepted, read_answers
from .format import Format, content_id

_OF_POPQA = ("obj", "possible_answers", "o_wiki_title", "o_aliases")
"""The fields that hold PopQA's answer and its other names."""


def read(record: Record) -> Question:
    """One question of a set that brings its paragraphs as "contexts": PopQA and NQ, as they are beside the others.

    HippoRAG's other sets are in the layouts of their makers. The answer is in "answer", "reference", or, of PopQA,
    "obj" with its other names. Paragraph ids are made of title and text, as for the corpus, which has none.

    Examples:
        >>> from multihop.data.files.record import Record
        >>> from multihop.data.formats import hipporag
        >>> question = hipporag.read(Record({
        ...     "id": 1, "question": "What was Ada?", "obj": "mathematician", "o_aliases": '["maths woman"]',
        ...     "contexts": [{"title": "Ada", "text": "Ada was a mathematician.", "is_supporting": True},
        ...                  {"title": "Emma", "text": "A novel.", "is_supporting": False}],
        ... }, "example"))
        >>> question.answers, question.supporting
        (('mathematician', 'maths woman'), ('Ada#550afcdc',))
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


FORMAT = Format("HippoRAG", ("question", "contexts"), read, nested="contexts")
