"""Lessons for the reader: several pages as one input, which of them help, and where the answer is, if there."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ..base.english import Span
from ..data.names_in_text import occurrences
from ..encoder.judgement import BETWEEN, as_one
from ..encoder.layout import Pair
from ..retrieval import Retriever, by_rank
from .gold_ways import LabelledPassage, Lesson, Way
from .reading_lessons import best_answer, misleading, verdict_of

HITS = 8
"""Pages that are looked at for each question, to find those that mislead."""
BESIDE = (0, 1, 2, 3, 4)
"""The numbers of misleading pages, drawn at random, beside the gold ones of a question of several hops."""
BESIDE_ONE = (0, 0, 0, 0, 1, 2, 3, 4)
"""The numbers beside a single right one: where a span begins and ends is learned sooner from one page alone."""
WORDS = 320
"""The words of all pages of a lesson; no misleading page is added beyond them."""
INCOMPLETE = 0.25
"""The share of the lessons in which the page that holds the answer is missing."""
TIMES = 3
"""Lessons of a question of several hops, each with other misleading pages in another order."""


def page_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """Lessons from every question whose gold pages say the answer, and from those that no page of their own answers."""
    for way in ways:
        dice = random.Random(f"{seed} {way.question.id}")
        asked = way.question.question
        names = [finding.passage.title for finding in way.findings if finding.passage.title]
        found = retriever.search([asked, *(f"{asked} {name}" for name in names)], HITS)
        others = by_rank([hit.passage for hit in ranking] for ranking in found)
        wrong = list(map(str, misleading(way.question, [finding.passage for finding in way.findings], others)))
        for _ in range(TIMES if len(way.findings) > 1 else 1):
            if lesson := _of_way(way, wrong, dice):
                yield lesson


def _of_way(way: Way, others: Sequence[str], dice: random.Random) -> Lesson | None:
    """One lesson; none where the gold does not hold the answer in its words."""
    asked, answers = way.question.question, way.question.answers
    verdict = verdict_of(way.question.answer)
    held = [each for each in way.findings if verdict or occurrences(each.text, answers)]
    if way.findings and not held:
        return None
    several = len(way.findings) > 1
    beside = dice.sample(others, min(dice.choice(BESIDE if several else BESIDE_ONE), len(others)))
    if not way.findings:  # the page that seems to answer is always there
        beside = list(dict.fromkeys([*others[:1], *beside]))
    complete = bool(held) and (not beside or dice.random() >= INCOMPLETE)
    helpful = [each.text for each in way.findings if complete or each not in held]
    shown = list(helpful)
    for page in beside:
        if not shown or sum(len(each.split()) for each in [*shown, page]) <= WORDS:
            shown.append(page)
    if not shown:
        return None
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


def _labelled(question: str, pages: Sequence[str], helpful: Sequence[str]) -> LabelledPassage:
    """Pages as one input, with the places of those that help, and no answer."""
    ends = accumulate(len(page) + len(BETWEEN) for page in pages)
    spans = [(end - len(BETWEEN) - len(page), end - len(BETWEEN)) for page, end in zip(pages, ends, strict=True)]
    told = tuple(span for span, page in zip(spans, pages, strict=True) if page in helpful)
    return LabelledPassage(Pair(question, as_one(pages)), False, helpful=told)


def _within(span: Span, text: str, sentence: str) -> bool:
    start = text.find(sentence)
    return 0 <= start <= span[0] < start + len(sentence)
