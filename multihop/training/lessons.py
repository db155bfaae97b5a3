"""The lessons of one training, of questions of one hop and of several.

The judge's of one hop are a paragraph that answers a question, and others that only look as if they did; the reader's
are several pages as one input, which of them help, and where the answer is, if there.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, islice
from typing import Literal

from ..base import InputError
from ..base.english import Span, content_words, sentence_spans
from ..data import Question
from ..data.names_in_text import occurrences
from ..encoder.judgement import BETWEEN, as_one
from ..encoder.layout import Pair
from ..retrieval import BM25, Passage, Retriever, by_rank
from .gold_ways import (
    AnswerLabel,
    LabelledPassage,
    Lesson,
    Way,
    as_way,
    gold_pages,
    is_of_one_page,
    read_ways,
    told_hops,
)
from .hop_lessons import judge_lessons, query_lessons

EncoderPart = Literal["judge", "reader", "labeler", "filter"]
HITS = 12
"""Paragraphs that are looked at for each lesson of the judge, to find those that mislead."""
NEGATIVES = 4
"""Paragraphs without the answer in a lesson of the judge; half as many where the answer is yes or no, and one where no
paragraph answers."""
UNTITLED = 0.3
"""The share of the lessons that show no titles though there are some: some corpora have none."""
ALIKE = 0.5
"""From this share of common words on, of the shorter one's, two paragraphs are taken for the same."""
PAGES = 8
"""Pages that are looked at for each lesson of the reader, to find those that mislead."""
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


def make_lessons(
    part: EncoderPart,
    questions: Sequence[Question],
    pages: Iterable[Passage] = (),
    *,
    most: int | None = None,
    seed: int = 0,
) -> list[Lesson]:
    """At most so many lessons for a part, drawn at random; gold that questions do not bring is found by title."""
    pool = _pool(questions, pages)
    made: list[Lesson] = []
    if part in ("labeler", "filter"):
        ways = read_ways(questions, pool)
        every = query_lessons(ways, BM25.build(pool), seed=seed) if ways else ()
        made = [Lesson(each.candidates) if part == "labeler" else Lesson((), each.queries) for each in every]
        made = [each for each in made if each.candidates or each.queries]
    else:
        several = [question for question in questions if not is_of_one_page(question)]
        ways = read_ways(several, pool)
        alone = [*filter(is_of_one_page, questions), *told_hops(several, ways, pool)]
        if alone:
            search = BM25.build(_pool(alone))
            made += (
                page_lessons(map(as_way, alone), search, seed=seed)
                if part == "reader"
                else reading_lessons(alone, search, seed=seed)
            )
        if ways:
            make = page_lessons if part == "reader" else judge_lessons
            made += make(ways, BM25.build(pool), seed=seed)
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def _pool(questions: Iterable[Question], passages: Iterable[Passage] = ()) -> list[Passage]:
    """The questions' own passages and those of the corpora, each once and with an id that no other has."""
    own = [passage for question in questions for passage in question.passages]
    texts = {str(passage): passage for passage in [*own, *passages]}
    return [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]


def reading_lessons(questions: Sequence[Question], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """A lesson of each question of one page: of its paragraph that answers, or of its first one where none does."""
    for question in questions:
        (hits,) = retriever.search([question.question], HITS)
        lesson = _lesson(question, [hit.passage for hit in hits], random.Random(f"{seed} {question.id}"))
        if lesson is not None:
            yield lesson


def _lesson(question: Question, found: Sequence[Passage], dice: random.Random) -> Lesson | None:
    asked, gold = question.question, gold_pages(question)
    main = gold[0] if gold else question.passages[0]
    titled = bool(main.title) and dice.random() >= UNTITLED
    text = _shown(main, titled)
    first, most = LabelledPassage(Pair(asked, text), False), 1
    if gold:
        verdict = verdict_of(question.answer)
        spans = [span for span in occurrences(text, question.answers) if span[0] >= len(text) - len(main.text)]
        answer = verdict or best_answer(text, spans, asked)
        if answer is None:
            return None
        useful = (answer,) if isinstance(answer, tuple) else ()
        first = LabelledPassage(Pair(asked, text), True, enough=True, useful=useful, answer=answer)
        most = NEGATIVES // 2 if verdict else NEGATIVES
    others = (page for page in misleading(question, gold or question.passages, found) if page.title or not titled)
    if gold and verdict:  # another paragraph of its page may say it too
        others = (page for page in others if not page.title or page.title != main.title)
    wrong = (LabelledPassage(Pair(asked, _shown(page, titled)), False) for page in islice(others, most))
    return Lesson((first, *wrong))


def _shown(page: Passage, titled: bool) -> str:
    return str(page) if titled else page.text


def verdict_of(answer: str) -> AnswerLabel:
    """The label of an answer that is yes or no; None for any other."""
    word = answer.lower()
    return "yes" if word == "yes" else "no" if word == "no" else None


def best_answer(text: str, answers: Sequence[Span], question: str) -> Span | None:
    """The answer's span in the sentence that shares most words with the question, and there the shortest wording."""
    asked, sentences = set(content_words(question)), sentence_spans(text)

    def worth(span: Span) -> tuple[int, int]:
        held = [sentence for sentence in sentences if sentence[0] <= span[0] < sentence[1]]
        return len(asked.intersection(content_words(text[slice(*held[0])]))) if held else 0, span[0] - span[1]

    return max(answers, key=worth, default=None)


def misleading(question: Question, gold: Sequence[Passage], found: Iterable[Passage]) -> Iterator[Passage]:
    """The question's other paragraphs, then what a search finds, without those that may answer it, each text once."""
    held = () if question.answers and verdict_of(question.answer) else question.answers
    for page in {page.text: page for page in [*question.passages, *found]}.values():
        if not occurrences(str(page), held) and not any(alike(page.text, each.text) for each in gold):
            yield page


def alike(one: str, other: str) -> bool:
    """True if two paragraphs share so many words that they are taken for the same."""
    words, others = _words_of(one), _words_of(other)
    return len(words & others) > ALIKE * min(len(words), len(others))


@lru_cache(maxsize=1 << 16)
def _words_of(text: str) -> frozenset[str]:
    """The words that a paragraph is told by; many questions find the same one."""
    return frozenset(content_words(text))


def page_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """Lessons from every question whose gold pages say the answer, and from those that no page of their own answers."""
    for way in ways:
        dice = random.Random(f"{seed} {way.question.id}")
        asked = way.question.question
        names = [finding.passage.title for finding in way.findings if finding.passage.title]
        found = retriever.search([asked, *(f"{asked} {name}" for name in names)], PAGES)
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
