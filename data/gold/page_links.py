"""The hops of a question whose set tells only its paragraphs: a name in one leads to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ...retrieval import Passage
from ..question import Question
from .definitions import definition, definition_question
from .given_hops import answer_in
from .gold_passages import sentences_of, supporting_and_others
from .page_names import name_in, names_of, shared_name
from .path import GoldHop
from .question_cut import cut_question
from .whole_words import as_written

_LESS = (0, 2)
"""The loss of score of a link through a supporting sentence, and through another."""


class PageLink(NamedTuple):
    """Two pages, the first of which leads to the second."""

    first: Passage
    last: Passage
    name: str
    """The name in the first page that leads to the second; empty if there is none."""
    sentence: str
    """The sentence of the first that holds it."""
    about: Passage | None
    """The page of the two that has this name."""
    score: int
    """The likelihood that this link is the way to the answer, to be compared with other links'."""


def link_pages(question: Question, pages: Sequence[Passage]) -> list[GoldHop] | str:
    """A hop for each page, those that lead to others first, or why there is no way through them."""
    ends = [page for page in pages if answer_in(question, page, question.answers, question.question)]
    if not ends:
        return f"its answer, '{question.answer}', is nowhere in its paragraphs"
    if len(pages) == 1:
        return [_last_hop(question, pages[0], question.question, ())]
    if len(pages) == 2:
        best = max(
            (link for last in ends for first in pages if first != last for link in _links(question, first, last)),
            key=lambda link: link.score,
        )
        return _two_hops(question, best)
    return _chain(question, pages, ends)


def _two_hops(question: Question, link: PageLink) -> list[GoldHop] | str:
    if link.name and not as_written(question.question, link.name):
        sub_question, then = cut_question(question, link.first, link.last, link.name, link.about)
        first = GoldHop(sub_question, link.name, link.first, link.sentence, (), by_rule=True)
        return [first, _last_hop(question, link.last, then, (0,))]
    # The name that leads on is already in the question, so the first page only defines something in it.
    value = definition(question, link.first)
    if not value or not (link.name or name_in(question.question, link.first)):
        return f"nothing leads from its paragraph '{link.first.title}' to '{link.last.title}'"
    first = GoldHop(definition_question(link.first), value[0], link.first, value[1], (), by_rule=True)
    return [first, _last_hop(question, link.last, question.question, ())]


def _chain(question: Question, pages: Sequence[Passage], ends: Sequence[Passage]) -> list[GoldHop] | str:
    """Of more than two pages, those that name others first, and last one that holds the answer."""
    order = sorted(pages, key=lambda page: -_leads(page, pages))
    last = next(page for page in reversed(order) if page in ends)
    order = [*(page for page in order if page is not last), last]
    hops: list[GoldHop] = []
    for place, page in enumerate(order[:-1]):
        links = [link for after in order[place + 1 :] for link in _links(question, page, after) if link.name]
        if not links:
            return f"nothing leads from its paragraph '{page.title}' to the others"
        best = max(links, key=lambda link: link.score)
        needs = tuple(n for n, hop in enumerate(hops) if name_in(hop.answer, page))
        sub_question = cut_question(question, page, best.last, best.name, best.about)[0]
        hops.append(GoldHop(sub_question, best.name, page, best.sentence, needs, by_rule=True))
    needed = {place for hop in hops for place in hop.needs}
    rest = tuple(place for place in range(len(hops)) if place not in needed)
    then = cut_question(question, order[-2], last, hops[-1].answer, None)[1]
    return [*hops, _last_hop(question, last, then, rest)]


def _last_hop(question: Question, page: Passage, sub_question: str, needs: tuple[int, ...]) -> GoldHop:
    value = answer_in(question, page, question.answers, sub_question)
    assert value is not None
    return GoldHop(sub_question, value[0], page, value[1], needs, by_rule=sub_question != question.question)


def _links(question: Question, first: Passage, last: Passage) -> Iterator[PageLink]:
    """Links from the first page to the last, made from what each says of the other."""
    sub_question = question.question
    bias = 2 * bool(name_in(sub_question, first)) - 3 * bool(name_in(sub_question, last))
    bias -= 4 * bool(answer_in(question, first, question.answers, sub_question))
    for less, sentences in zip(_LESS, supporting_and_others(question, first), strict=True):
        if holding := next((each for each in sentences if name_in(each, last)), ""):
            yield PageLink(first, last, name_in(holding, last), holding, last, bias + 6 - less)
    for less, sentences in zip(_LESS, supporting_and_others(question, last), strict=True):
        if any(name_in(each, first) for each in sentences) and (own := _own_name(question, first)):
            yield PageLink(first, last, *own, first, bias + 3 - less)
    for less, sentences in zip(_LESS, supporting_and_others(question, first), strict=True):
        others = " ".join(sentences_of(question, last))
        for sentence in sentences:
            if name := shared_name(sentence, others, f"{sub_question} {question.answer}"):
                yield PageLink(first, last, name, sentence, None, bias + 1 - less)
                break
    yield PageLink(first, last, "", "", None, bias - 1)


def _own_name(question: Question, page: Passage) -> tuple[str, str] | None:
    """The first of the page's names that is in its text, and the sentence it is in."""
    sentences = list(chain(*supporting_and_others(question, page)))
    names = ((as_written(sentence, name), sentence) for name in names_of(page) for sentence in sentences)
    return next(((name, sentence) for name, sentence in names if name), None)


def _leads(page: Passage, pages: Sequence[Passage]) -> int:
    """The number of other pages that this page names, less the number that name it."""
    others = [each for each in pages if each != page]
    names = sum(bool(name_in(page.text, each)) for each in others)
    return names - sum(bool(name_in(each.text, page)) for each in others)
