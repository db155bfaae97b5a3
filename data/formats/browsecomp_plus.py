"""BrowseComp-Plus: questions for agents over some 100,000 web pages, with the pages that hold the evidence."""

from __future__ import annotations

from ...retrieval import Passage
from ..files.record import Record
from ..question import Question
from .answers import read_accepted
from .format import Format

_PAGES = ("gold_docs", "evidence_docs", "negative_docs")
"""The fields with pages; those that hold the answer are evidence too."""


def read(record: Record) -> Question:
    """One question of the file that the makers' script decrypts; the ids of pages are those of the corpus.

    Its gold is the evidence, by which the makers measure recall. On the hub the texts are encrypted, and refused.

    Examples:
        >>> from multihop.data.files.record import Record
        >>> from multihop.data.formats import browsecomp_plus
        >>> question = browsecomp_plus.read(Record({
        ...     "query_id": "769", "query": "Where was the author of Emma born?", "answer": "Steventon",
        ...     "gold_docs": [{"docid": "7", "text": "Jane Austen, born in Steventon.", "url": "https://a.example"}],
        ...     "evidence_docs": [{"docid": "3", "text": "Emma is by Jane Austen.", "url": "https://b.example"},
        ...                       {"docid": "7", "text": "Jane Austen, born in Steventon.", "url": "https://a.example"}],
        ...     "negative_docs": [{"docid": "9", "text": "Dusk is a novel.", "url": "https://c.example"}],
        ... }, "example"))
        >>> question.id, question.supporting, [passage.id for passage in question.passages]
        ('769', ('3', '7'), ['7', '3', '9'])
    """
    if " " not in record.require_text("query"):
        raise record.error("the texts are encrypted; decrypt them with scripts_build_index/decrypt_dataset.py.")
    pages = {name: [_passage(page) for page in record.records(name)] for name in _PAGES}
    passages = {page.id: page for name in _PAGES for page in pages[name]}
    accepted = read_accepted(record, "answer")
    return Question(
        id=record.identifier("query_id", "id"),
        question=record.require_text("query"),
        answers=accepted.answers,
        supporting=tuple(dict.fromkeys(page.id for page in pages["evidence_docs"] or pages["gold_docs"])),
        passages=tuple(passages.values()),
        answerable=accepted.answerable,
    )


def _passage(page: Record) -> Passage:
    return Passage(page.identifier("docid"), page.text("title", default=""), page.text("text"))


FORMAT = Format("BrowseComp-Plus", ("query", "query_id", ("evidence_docs", "gold_docs")), read)
