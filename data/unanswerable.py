"""Questions that cannot be answered, made of those that can: their gold pages are left out of the corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..base import InputError
from ..base.plurals import say_count
from ..retrieval import Passage
from .question import Question
from .selection import shuffled_place

NOWHERE = ""
"""The page of gold that is not in the corpus."""


class WithoutGold(NamedTuple):
    """Questions, some of which cannot be answered, and the corpus without the pages that answer those."""

    questions: list[Question]
    """All questions, in their order; those that were drawn are `without_answer`."""
    passages: Iterator[Passage]
    """The corpus without the gold pages of those; it is gone through while these are taken."""
    drawn: tuple[str, ...]
    """The ids of the questions that were drawn, in the order of the questions."""


def without_answer(question: Question) -> Question:
    """The question as one that cannot be answered, without gold.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.unanswerable import without_answer
        >>> question = without_answer(Question(id="q1", question="Who?", answers=("Ada",), supporting=("p1",)))
        >>> question.answers, question.answerable, question.supporting
        ((), False, ())
    """
    return replace(question, answers=(), answerable=False, supporting=(), supporting_sents=(), decomposition=())


def without_gold(questions: Iterable[Question], passages: Iterable[Passage], count: int, seed: int = 0) -> WithoutGold:
    """The questions, of which so many cannot be answered any more, and the corpus that leaves them without answer.

    A page is all passages of one title; without a title, one passage. Of a question that is drawn, all gold pages are
    left out. So only questions are drawn whose gold pages are all in the corpus, and questions that share a gold page
    only together: the others stay as answerable as they were. A page that is nobody's gold may still tell the answer,
    which nobody knows without reading; where all gold is left out, that is rare.

    Args:
        questions: The questions, with their gold.
        passages: The corpus; it is gone through twice.
        count: The number of questions to draw.
        seed: Another seed draws others.

    Examples:
        >>> from multihop.data import Question, without_gold
        >>> from multihop.retrieval import Passage
        >>> pages = [Passage("p1", "Emma", "By Jane Austen."), Passage("p2", "Etna", "A volcano.")]
        >>> asked = [Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("p1",))]
        >>> found = without_gold(asked, pages, 1)
        >>> [question.answerable for question in found.questions], [page.title for page in found.passages]
        ([False], ['Etna'])

    Raises:
        InputError: Too few questions can be drawn so.
    """
    questions = list(questions)
    passages = passages if not isinstance(passages, Iterator) else list(passages)
    pages = _gold_pages([question for question in questions if question.answerable], passages)
    drawn, most = _draw(questions, pages, count, seed)
    if count < 1 or len(drawn) < count:
        raise InputError(
            f"{say_count(count, 'question')} cannot be left without answer: {most:,} of {len(questions):,} have gold "
            "pages that are all in the corpus, and can be drawn without or with those that share them."
        )
    gone = {page for name in drawn for page in pages[name]}
    changed = [_without_pages(without_answer(each) if each.id in drawn else each, gone) for each in questions]
    kept = (passage for passage in passages if _page(passage) not in gone)
    return WithoutGold(changed, kept, tuple(each.id for each in questions if each.id in drawn))


def _draw(questions: Sequence[Question], pages: Mapping[str, set[str]], count: int, seed: int) -> tuple[set[str], int]:
    """The ids of so many questions, those that share a page together, and the most that could be drawn."""
    joined = {page: page for needed in pages.values() for page in needed}

    def group_of(page: str) -> str:
        while joined[page] != page:
            joined[page] = page = joined[joined[page]]
        return page

    for needed in pages.values():
        first, *others = needed - {NOWHERE} or needed
        for page in others:
            joined[group_of(page)] = group_of(first)
    groups: dict[str, list[Question]] = {}
    for question in questions:
        if question.id in pages:
            groups.setdefault(group_of(max(pages[question.id])), []).append(question)
    whole = [group for group in groups.values() if not any(NOWHERE in pages[each.id] for each in group)]
    drawn: set[str] = set()
    for group in sorted(whole, key=lambda group: min(shuffled_place(each, seed) for each in group)):
        if len(drawn) + len(group) <= count:
            drawn |= {each.id for each in group}
    return drawn, sum(map(len, whole))


def _gold_pages(questions: Sequence[Question], passages: Iterable[Passage]) -> dict[str, set[str]]:
    """The pages of each question's gold, by its id; the empty page stands for gold that is not in the corpus.

    Gold is found by its id, else by its title: that of the question's own paragraph, or the id itself.
    """
    own = {passage.id: passage for question in questions for passage in question.passages}
    gold = {name for question in questions for name in question.supporting}
    titles = {name: _normal(own[name].title if name in own else name) for name in gold}
    sought, there, page_of = set(titles.values()) - {""}, set[str](), dict[str, str]()
    for passage in passages:
        page = _page(passage)
        if passage.id in gold:
            page_of[passage.id] = page
        if page in sought:
            there.add(page)
    found = {name: page_of.get(name) or (title if title in there else NOWHERE) for name, title in titles.items()}
    pages = {question.id: {found[name] for name in question.supporting} for question in questions}
    return {name: needed for name, needed in pages.items() if needed}


def _without_pages(question: Question, gone: Collection[str]) -> Question:
    """The question without these pages among its own paragraphs."""
    kept = [place for place, passage in enumerate(question.passages) if _page(passage) not in gone]
    if len(kept) == len(question.passages):
        return question
    return replace(
        question,
        passages=tuple(question.passages[place] for place in kept),
        sentences=tuple(question.sentences[place] for place in kept) if question.sentences else (),
    )


def _page(passage: Passage) -> str:
    """The page that a passage is of: its title, or its id where it has none."""
    return _normal(passage.title) or passage.id


def _normal(title: str) -> str:
    return " ".join(title.casefold().split())
