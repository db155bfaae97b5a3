"""The difficulty of questions: what it takes to find their pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..retrieval import Hit, Retriever
from .drafts import Draft

EASY, MEDIUM, HARD = "easy", "medium", "hard"
LEVELS = (EASY, MEDIUM, HARD)
DEPTH = 5
"""Passages that a search looks at."""


def rate(drafts: Sequence[Draft], retriever: Retriever) -> list[str]:
    """The level of each question.

    "easy": one search for the question finds all its pages; "medium": a search for each of its hops finds the hop's
    page; "hard": not even these do.
    """
    asked = list(dict.fromkeys(text for draft in drafts for text in (draft.question, *_hops(draft))))
    found = dict(zip(asked, map(_ids, retriever.search(asked, DEPTH)), strict=True)) if asked else {}
    levels = []
    for draft in drafts:
        gold = [step.subject.page.id for step in draft.steps]
        if found[draft.question].issuperset(gold):
            levels.append(EASY)
        else:
            stepwise = all(page in found[text] for page, text in zip(gold, _hops(draft), strict=True))
            levels.append(MEDIUM if stepwise else HARD)
    return levels


def _hops(draft: Draft) -> list[str]:
    return [step.question for step in draft.steps]


def _ids(hits: Iterable[Hit]) -> set[str]:
    return {hit.passage.id for hit in hits}
