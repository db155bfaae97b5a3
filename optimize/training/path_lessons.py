"""Lessons for the reader: several pages as one input, with the place in them that answers, or that none does."""

import random
from collections.abc import Iterable, Iterator, Sequence

from ...base.sentences import Span
from ...data import Question
from ...data.gold.shelf import Shelf, supporting_sentences
from ...data.gold.whole_words import occurrences
from ...encoder.layout import Pair
from ...encoder.pages import as_one
from ...retrieval import Passage, Retriever
from .findings import hops_at_hand
from .label import AnswerLabel, LabelledPassage, Lesson
from .reading_lessons import Shown, best_answer

HITS = 8
"""Pages that are looked at for each question, to find those that mislead."""
BESIDE = (0, 1, 1, 2, 2)
"""How many misleading pages stand beside the gold ones, drawn by lot."""
INCOMPLETE = 0.2
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
        seed: Of what is drawn by lot.

    Examples:
        >>> from multihop import BM25, World
        >>> from multihop.optimize.training.path_lessons import path_lessons
        >>> world = World(questions=20)
        >>> pages = list(world.passages())
        >>> lesson = next(path_lessons(world.questions(), pages, BM25.build(pages), seed=1))
        >>> len(lesson.candidates)
        1
    """
    shelf = Shelf(pool)
    for question in questions:
        dice = random.Random(f"{seed} {question.id}")
        gold = [page for name in question.supporting for page in shelf.find(question, name)[:1]]
        gold = list({page.text: page for page in gold}.values())
        made: list[Lesson | None] = []
        if question.answers and gold and len(gold) >= len(set(question.supporting)):
            asked, sentences = (
                question.question,
                [each for page in gold for each in supporting_sentences(question, page)],
            )
            others = _misleading(question.answers, [*question.passages, *_hits(retriever, asked)], gold)
            made += [_of_pages(asked, gold, others, question.answers, sentences, dice) for _ in range(TIMES)]
        for _, hop in hops_at_hand(question, shelf):
            if hop.passage.name == hop.answer:  # the page that says so is not there
                continue
            others = _misleading([hop.answer], _hits(retriever, hop.sub_question), [hop.passage])
            made.append(_of_pages(hop.sub_question, [hop.passage], others, [hop.answer], [hop.sentence], dice))
        yield from filter(None, made)


def as_path_lesson(lesson: Lesson, dice: random.Random) -> Lesson:
    """A lesson of one hop as one input: its right page, if any, with some of the wrong ones."""
    right = [each for each in lesson.candidates if each.enough]
    wrong = [each for each in lesson.candidates if not each.relevant]
    beside = dice.sample(wrong, min(dice.choice(BESIDE if right else (1,)), len(wrong)))
    if beside and dice.random() < INCOMPLETE:
        right = []
    shown = [*right[:1], *beside]
    dice.shuffle(shown)
    texts = [each.pair.passage for each in shown]
    question, text = shown[0].pair.question, as_one(texts)
    if not right:
        return Lesson((LabelledPassage(Pair(question, text), False),))
    answer, place = right[0].answer, shown.index(right[0])
    if isinstance(answer, tuple):
        moved = len(as_one([*texts[:place], ""]))
        answer = (answer[0] + moved, answer[1] + moved)
    return Lesson((LabelledPassage(Pair(question, text), True, enough=True, answer=answer),))


def _hits(retriever: Retriever, question: str) -> list[Passage]:
    return [hit.passage for hit in retriever.search([question], HITS)[0]]


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
    beside = dice.sample(others, min(dice.choice(BESIDE), len(others)))
    held = [page for page in gold if verdict or occurrences(str(page), answers)]
    if not held:
        return None
    complete = not beside or dice.random() >= INCOMPLETE
    shown = [str(page) for page in [*(gold if complete else [each for each in gold if each not in held]), *beside]]
    dice.shuffle(shown)
    text = as_one(shown)
    if not complete:
        return Lesson((LabelledPassage(Pair(question, text), False),))
    spans = occurrences(text, answers)
    told = [span for span in spans if any(_within(span, text, sentence) for sentence in sentences)]
    answer: AnswerLabel = best_answer(Shown(text, tuple(told or spans)), question)
    if verdict:
        answer = "yes" if verdict == "yes" else "no"
    return Lesson((LabelledPassage(Pair(question, text), True, enough=True, answer=answer),))


def _within(span: Span, text: str, sentence: str) -> bool:
    start = text.find(sentence)
    return 0 <= start <= span[0] < start + len(sentence)
