"""Gold passages: looked up by id and by title, and their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...base.english import sentence_spans
from ...retrieval import Passage
from ..question import Question


class PassageLookup:
    """Passages by id and by title; a question's own come before those of the corpus."""

    def __init__(self, passages: Mapping[str, Passage] | Iterable[Passage]) -> None:
        """The lookup of these passages."""
        pages = passages.values() if isinstance(passages, Mapping) else passages
        self._by_id: dict[str, Passage] = dict(passages) if isinstance(passages, Mapping) else {}
        self._by_title: dict[str, list[Passage]] = {}
        for page in pages:
            self._by_id.setdefault(page.id, page)
            if page.title:
                self._by_title.setdefault(page.title, []).append(page)

    def find(self, question: Question, name: str) -> list[Passage]:
        """The passages of this id; where there is none, those of this title."""
        own = [page for page in question.passages if page.id == name]
        if own:
            return own
        if name in self._by_id:
            return [self._by_id[name]]
        own = [page for page in question.passages if page.title == name]
        return [*own, *(page for page in self._by_title.get(name, ()) if page not in own)]


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
