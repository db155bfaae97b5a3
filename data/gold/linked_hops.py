"""The hops of a question whose set tells only its paragraphs: a name in one leads to the other."""

from __future__ import annotations

from collections.abc import Sequence

from ...retrieval import Passage
from ..question import Question
from .path import GoldHop
from .shelf import sentences_of
from .told_hops import answer_in
from .whole_words import as_written, occurrences


def linked_hops(question: Question, pages: Sequence[Passage]) -> list[GoldHop] | str:
    """A hop for each page, those that lead to others first, or why there is no way through them."""
    order = sorted(pages, key=lambda page: -_leads(page, pages))
    last = [page for page in order if answer_in(question, page, question.answers, question.question)]
    if not last:
        return f"its answer, '{question.answer}', is nowhere in its paragraphs"
    order = [*(page for page in order if page is not last[-1]), last[-1]]
    hops: list[GoldHop] = []
    for place, page in enumerate(order[:-1]):
        link = next((name for other in order[place + 1 :] if (name := as_written(page.text, other.name))), "")
        link = link or page.name
        sentence = next((each for each in sentences_of(question, page) if as_written(each, link)), "")
        if not sentence:
            return f"nothing leads from its paragraph '{page.title}' to the next"
        hops.append(GoldHop(f"Which name leads on from {page.name}?", link, page, sentence, (), by_rule=True))
    found = answer_in(question, order[-1], question.answers, question.question)
    assert found is not None
    needs = tuple(range(len(hops)))
    return [*hops, GoldHop(question.question, found[0], order[-1], found[1], needs, by_rule=bool(hops))]


def _leads(page: Passage, pages: Sequence[Passage]) -> int:
    """How many of the other pages this one names, less how many name it."""
    others = [each for each in pages if each != page]
    names = sum(bool(occurrences(page.text, [each.name])) for each in others)
    return names - sum(bool(occurrences(each.text, [page.name])) for each in others)
