"""The passages in which gold is looked up, by id and by title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
