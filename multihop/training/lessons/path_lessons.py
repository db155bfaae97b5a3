"""Lessons for the reader: several pages as one input, which of them help, and where the answer is, if there."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ...base.english import Span
from ...data import Question
from ...data.gold.gold_passages import PassageLookup, supporting_sentences
from ...data.gold.whole_words import occurrences
from ...encoder.layout import Pair
from ...encoder.pages import BETWEEN, as_one
from ...retrieval import Passage, Retriever, by_rank
from .findings import hops_at_hand
from .label import AnswerLabel, LabelledPassage, Lesson
from .reading_lessons import Shown, best_answer

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


def path_lessons(
    questions: Iterable[Question], pool: Sequence[Passage], retriever: Retriever, *, seed: int = 0
) -> Iterator[Lesson]:
    """Lessons from every question whose gold pages are there, and from each of its hops that can be read alone.

    Args:
        questions: With answers and gold pages.
        pool: All pages there are to train with.
        retriever: Finds misleading pages in the pool.
        seed: The seed of what is drawn at random.
    """
    lookup = PassageLookup(pool)
    for question in questions:
        dice = random.Random(f"{seed} {question.id}")
        gold = [page for name in question.supporting for page in lookup.find(question, name)[:1]]
        gold = list({page.text: page for page in gold}.values())
        made: list[Lesson | None] = []
        if question.answers and gold and len(gold) >= len(set(question.supporting)):
            asked, sentences = (
                question.question,
                [each for page in gold for each in supporting_sentences(question, page)],
            )
            searches = [asked, *(f"{asked} {page.title}" for page in gold if page.title)]
            others = _misleading(question.answers, [*question.passages, *_searched(retriever, searches)], gold)
            made += [_of_pages(asked, gold, others, question.answers, sentences, dice) for _ in range(TIMES)]
        for _, hop in hops_at_hand(question, lookup):
            if hop.passage.name == hop.answer:  # the page that says so is not there
                continue
            others = _misleading([hop.answer], _searched(retriever, [hop.sub_question]), [hop.passage])
            made.append(_of_pages(hop.sub_question, [hop.passage], others, [hop.answer], [hop.sentence], dice))
        yield from filter(None, made)


def as_path_lesson(lesson: Lesson, dice: random.Random) -> Lesson:
    """A lesson of one hop as one input: its right page, or the one that seems to be, with some of the wrong ones."""
    first, *wrong = lesson.candidates
    right = next((each for each in lesson.candidates if each.enough), None)
    if right is not None:
        wrong = [each for each in lesson.candidates if not each.relevant]
    beside = dice.sample(wrong, min(dice.choice(BESIDE_ONE), len(wrong)))
    if right is not None and beside and dice.random() < INCOMPLETE:
        first = beside.pop()
        right = None
    shown = [right or first, *beside]
    dice.shuffle(shown)
    helpful = [each.pair.passage for each in shown if each is right]
    labelled = _labelled(shown[0].pair.question, [each.pair.passage for each in shown], helpful)
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


def _searched(retriever: Retriever, words: Sequence[str]) -> list[Passage]:
    """The passages of all searches, the best of each first."""
    return by_rank([hit.passage for hit in ranking] for ranking in retriever.search(words, HITS))


def _misleading(answers: Sequence[str], pages: Iterable[Passage], gold: Sequence[Passage]) -> list[Passage]:
    """Pages that are not gold and do not hold the answer, each once."""
    texts = {page.text for page in gold}
    wrong = {page.text: page for page in pages if page.text not in texts}
    told = answers[0].lower() in ("yes", "no")
    return [page for page in wrong.values() if told or not occurrences(str(page), answers)]


def _of_pages(
    question: str,
    gold: Sequence[Passage],
    others: Sequence[Passage],
    answers: Sequence[str],
    sentences: Sequence[str],
    dice: random.Random,
) -> Lesson | None:
    """One lesson; none where the gold does not hold the answer in its words."""
    verdict = answers[0].lower() if answers[0].lower() in ("yes", "no") else ""
    held = [page for page in gold if verdict or occurrences(str(page), answers)]
    if not held:
        return None
    beside = dice.sample(others, min(dice.choice(BESIDE), len(others)))
    complete = not beside or dice.random() >= INCOMPLETE
    helpful = [str(page) for page in (gold if complete else [each for each in gold if each not in held])]
    shown = list(helpful)
    for page in map(str, beside):
        if not shown or sum(len(each.split()) for each in [*shown, page]) <= WORDS:
            shown.append(page)
    dice.shuffle(shown)
    labelled = _labelled(question, shown, helpful)
    if not complete:
        return Lesson((labelled,))
    text = labelled.pair.passage
    spans = occurrences(text, answers)
    told = [span for span in spans if any(_within(span, text, sentence) for sentence in sentences)]
    answer: AnswerLabel = best_answer(Shown(text, tuple(told or spans)), question)
    if verdict:
        answer = "yes" if verdict == "yes" else "no"
    return Lesson((replace(labelled, relevant=True, enough=True, answer=answer),))


def _within(span: Span, text: str, sentence: str) -> bool:
    start = text.find(sentence)
    return 0 <= start <= span[0] < start + len(sentence)
