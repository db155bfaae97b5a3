"""The sentences of a passage, and those of them that a set names as supporting."""

from __future__ import annotations

from ...base.english import sentence_spans
from ...retrieval import Passage
from ..question import Question


def sentences_of(question: Question, page: Passage) -> list[str]:
    """The sentences of a passage, word for word: as the question's set splits them, or as a rule does."""
    own = dict(zip((each.id for each in question.passages), question.sentences, strict=False)).get(page.id, ())
    split = [sentence.strip() for sentence in own]
    if split and all(sentence in page.text for sentence in split):
        return split
    return [page.text[start:end].strip() for start, end in sentence_spans(page.text)]


def supporting_sentences(question: Question, page: Passage) -> list[str]:
    """The sentences that the set names as supporting, in its own splitting; none where it splits nothing."""
    if not question.sentences:
        return []
    split = sentences_of(question, page)
    places = [place for name, place in question.supporting_sents if name in (page.id, page.title)]
    return [split[place] for place in places if 0 <= place < len(split) and split[place]]


def supporting_and_others(question: Question, page: Passage) -> tuple[list[str], list[str]]:
    """The supporting sentences of a passage, and its others."""
    supporting = supporting_sentences(question, page)
    return supporting, [sentence for sentence in sentences_of(question, page) if sentence not in supporting]


def supporting_or_all(question: Question, page: Passage) -> list[str]:
    """The supporting sentences of a passage; all of its sentences where none supports."""
    return supporting_sentences(question, page) or sentences_of(question, page)
