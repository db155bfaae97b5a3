"""Lessons for the reader: several pages as one input, which of them help, and where the answer is, if there."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ...base.english import Span
from ...data.gold.whole_words import occurrences
from ...encoder.layout import Pair
from ...encoder.pages import BETWEEN, as_one
from ...retrieval import Passage, Retriever, by_rank
from .lesson import LabelledPassage, Lesson
from .reading import best_answer, verdict_of
from .ways import Way

HITS = 8
"""Pages that are looked at for each question, to find those that mislead."""
BESIDE = (0, 1, 2, 3, 4)
"""The numbers of misleading pages, drawn at random, beside the gold ones of a question of several hops."""
BESIDE_ONE = (0, 0, 0, 0, 1, 2, 3, 4)
"""The same beside a single right one: where a span begins and ends is learned sooner from one page alone."""
WORDS = 320
"""The words of all pages of a lesson; no misleading page is added beyond them."""
INCOMPLETE = 0.25
"""The share of the lessons in which the page that holds the answer is missing."""
TIMES = 3
"""Lessons of a question of several hops, each with other misleading pages in another order."""


def page_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """Lessons from every question whose gold pages are there and say the answer.

    Args:
        ways: Training questions with their gold pages.
        retriever: Finds misleading pages.
        seed: The seed of what is drawn at random.
    """
    for way in ways:
        dice = random.Random(f"{seed} {way.question.id}")
        asked = way.question.question
        names = [finding.passage.title for finding in way.findings if finding.passage.title]
        found = retriever.search([asked, *(f"{asked} {name}" for name in names)], HITS)
        others = by_rank([hit.passage for hit in ranking] for ranking in found)
        wrong = _misleading(way, [*way.question.passages, *others])
        for _ in range(TIMES):
            if lesson := _of_way(way, wrong, dice):
                yield lesson


def _misleading(way: Way, pages: Iterable[Passage]) -> list[str]:
    """Pages that are not gold and do not hold the answer, each once."""
    gold, answers = {finding.passage.text for finding in way.findings}, way.question.answers
    wrong = {page.text: page for page in pages if page.text not in gold}
    told = verdict_of(answers[0]) is not None
    return [str(page) for page in wrong.values() if told or not occurrences(str(page), answers)]


def _of_way(way: Way, others: Sequence[str], dice: random.Random) -> Lesson | None:
    """One lesson; none where the gold does not hold the answer in its words."""
    asked, answers, verdict = way.question.question, way.question.answers, verdict_of(way.question.answers[0])
    held = [each for each in way.findings if verdict or occurrences(each.text, answers)]
    if not held:
        return None
    beside = dice.sample(others, min(dice.choice(BESIDE), len(others)))
    complete = not beside or dice.random() >= INCOMPLETE
    helpful = [each.text for each in way.findings if complete or each not in held]
    shown = list(helpful)
    for page in beside:
        if not shown or sum(len(each.split()) for each in [*shown, page]) <= WORDS:
            shown.append(page)
    dice.shuffle(shown)
    labelled = _labelled(asked, shown, helpful)
    if not complete:
        return Lesson((labelled,))
    text = labelled.pair.passage
    spans = occurrences(text, answers)
    supporting = [sentence for finding in way.findings for sentence in finding.sentences]
    told = [span for span in spans if any(_within(span, text, sentence) for sentence in supporting)]
    answer = verdict or best_answer(text, told or spans, asked)
    return Lesson((replace(labelled, relevant=True, enough=True, answer=answer),))


def as_pages(lesson: Lesson, dice: random.Random) -> Lesson:
    """A lesson of one hop as one input: its right page, or the one that seems to be, with some of the wrong ones."""
    first, *wrong = lesson.candidates
    beside = dice.sample(wrong, min(dice.choice(BESIDE_ONE), len(wrong)))
    right = first if first.enough else None
    if right is not None and beside and dice.random() < INCOMPLETE:
        first, right = beside.pop(), None
    shown = [first, *beside]
    dice.shuffle(shown)
    helpful = [first.pair.passage] if right else []
    labelled = _labelled(first.pair.question, [each.pair.passage for each in shown], helpful)
    if right is None:
        return Lesson((labelled,))
    answer = right.answer
    if isinstance(answer, tuple):
        ((moved, _),) = labelled.helpful or ((0, 0),)
        answer = (answer[0] + moved, answer[1] + moved)
    return Lesson((replace(labelled, relevant=True, enough=True, answer=answer),))


def _labelled(question: str, pages: Sequence[str], helpful: Sequence[str]) -> LabelledPassage:
    """Pages as one input, with the places of those that help, and no answer."""
    ends = accumulate(len(page) + len(BETWEEN) for page in pages)
    spans = [(end - len(BETWEEN) - len(page), end - len(BETWEEN)) for page, end in zip(pages, ends, strict=True)]
    told = tuple(span for span, page in zip(spans, pages, strict=True) if page in helpful)
    return LabelledPassage(Pair(question, as_one(pages)), False, helpful=told)


def _within(span: Span, text: str, sentence: str) -> bool:
    start = text.find(sentence)
    return 0 <= start <= span[0] < start + len(sentence)
