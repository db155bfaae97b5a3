"""Lessons of one hop: a paragraph that answers a question, and others that only look as if they did."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from ..base.english import Span, content_words, sentence_spans
from ..data import Question
from ..data.names_in_text import occurrences
from ..encoder.layout import Pair
from ..retrieval import Passage, Retriever
from .gold_ways import AnswerLabel, LabelledPassage, Lesson, gold_pages

HITS = 12
"""Paragraphs that are looked at for each question, to find those that mislead."""
NEGATIVES = 4
"""Paragraphs of a lesson that do not answer; half as many where the answer is yes or no, and one where none answers."""
UNTITLED = 0.3
"""The share of the lessons that show no titles though there are some: some corpora have none."""
ALIKE = 0.5
"""From this share of common words on, of the shorter one's, two paragraphs are taken for the same."""


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
