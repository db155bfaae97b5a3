"""Lessons of one hop: a paragraph that answers a question, and others that only look as if they did."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ...base.english import Span, content_words
from ...data.gold.whole_words import occurrences
from ...encoder.judgement import trim
from ...encoder.layout import Pair
from ...retrieval import Passage, Retriever
from .excerpts import closest_sentence, excerpt, spans_of
from .label import AnswerLabel, LabelledPassage, Lesson
from .reading_items import ReadingItem, ReadParagraph

HITS = 12
"""Paragraphs that are looked at for each question, to find those that mislead."""
NEGATIVES = {"span": 4, "yes": 2, "no": 2, "none": 1}
"""Paragraphs of a lesson that do not answer; whether the answer is yes or no is learned from the other one."""
WORDS = 80
"""The words shown of a paragraph in a lesson, unless the sentence that counts is longer."""
UNTITLED = 0.3
"""The share of the lessons that show no titles though there are some: some corpora have none."""
AS_KEYWORDS = 0.3
"""The share of questions made by a template that lose their small words: many searches are no sentences."""
ALIKE = 0.5
"""From this share of common words on, of the shorter one's, two paragraphs are taken for the same."""
_WORD = re.compile(r"[^\W_]+")


class Shown(NamedTuple):
    """An excerpt as a lesson shows it, "title | text", and the places of the answer in it."""

    text: str
    answers: tuple[Span, ...] = ()


def reading_pool(items: Iterable[ReadingItem]) -> list[Passage]:
    """All paragraphs of the items, each once, among which misleading ones are looked for."""
    texts = {(page.title, page.text): None for item in items for page in item.paragraphs if len(page.text.split()) > 4}
    return [Passage(f"{place}", title, text) for place, (title, text) in enumerate(texts)]


def draw_items(items: Iterable[ReadingItem], most: int, dice: random.Random) -> list[ReadingItem]:
    """The items that are not held back, at most so many of each paragraph, drawn at random."""
    every = [item for item in items if not item.held_back]
    dice.shuffle(every)
    counts: dict[tuple[str, str], int] = {}
    drawn = []
    for item in every:
        page = (item.supporting or item.paragraphs)[0].text
        key = page, "none" if item.kind == "none" else "told"
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= most:
            drawn.append(item)
    return drawn


def reading_lessons(items: Sequence[ReadingItem], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """A lesson of each item whose answer one paragraph tells, and of those where several facts make yes or no.

    Args:
        items: The questions to read with.
        retriever: Finds paragraphs that mislead.
        seed: The seed of what is drawn at random.
    """
    for start in range(0, len(items), 256):
        part = items[start : start + 256]
        found = retriever.search([item.question for item in part], HITS)
        for item, hits in zip(part, found, strict=True):
            lesson = _lesson(item, [hit.passage for hit in hits], random.Random(f"{seed} {item.source} {item.id}"))
            if lesson is not None:
                yield lesson


def _lesson(item: ReadingItem, found: Sequence[Passage], dice: random.Random) -> Lesson | None:
    """One lesson; none where several paragraphs together name the answer."""
    gold = item.supporting
    if len(gold) > 1:
        return _joined(item, found, dice) if item.kind in ("yes", "no") else None
    question = as_keywords(item.question) if item.templated and dice.random() < AS_KEYWORDS else item.question
    main = gold[0] if gold else closest_page(item)
    titled = bool(main.title) and dice.random() >= UNTITLED
    size = min(WORDS, max(20, len(main.text.split())))
    shown = _shown(main, question, size, dice, titled=titled)
    if item.kind == "span" and not shown.answers:
        return None
    first = _right(question, shown, item) if gold else LabelledPassage(Pair(question, shown.text), False)
    wrong = [
        LabelledPassage(Pair(question, _shown(page, question, size, dice, titled=titled).text), False)
        for page in misleading(item, found, NEGATIVES[item.kind], titled=titled)
    ]
    return Lesson((first, *wrong))


def _right(question: str, shown: Shown, item: ReadingItem) -> LabelledPassage:
    answer: AnswerLabel = best_answer(shown, question) if item.kind == "span" else _verdict(item)
    useful = (answer,) if isinstance(answer, tuple) else ()
    return LabelledPassage(Pair(question, shown.text), True, enough=True, useful=useful, answer=answer)


def _joined(item: ReadingItem, found: Sequence[Passage], dice: random.Random) -> Lesson:
    """Facts that tell together: all of them as one passage, and beside them one fact alone."""
    facts = [page.text.strip() for page in item.supporting]
    alone = dice.choice(facts)
    dice.shuffle(facts)
    whole = LabelledPassage(Pair(item.question, " ".join(facts)), True, enough=True, answer=_verdict(item))
    part = LabelledPassage(Pair(item.question, alone), True, leads_on=True)
    size = sum(len(fact.split()) for fact in facts)
    wrong = [
        LabelledPassage(Pair(item.question, _shown(page, item.question, size, dice, titled=False).text), False)
        for page in misleading(item, found, NEGATIVES[item.kind], titled=False)
    ]
    return Lesson((whole, part, *wrong))


def _verdict(item: ReadingItem) -> AnswerLabel:
    return "yes" if item.kind == "yes" else "no"


def closest_page(item: ReadingItem) -> ReadParagraph:
    """The paragraph of an item that shares most words with its question."""
    asked = set(content_words(item.question))
    return max(item.paragraphs, key=lambda page: len(asked.intersection(content_words(page.text))))


def best_answer(shown: Shown, question: str) -> Span | None:
    """The answer's span in the sentence that shares most words with the question, and there the shortest wording."""
    if len(shown.answers) < 2:
        return next(iter(shown.answers), None)
    asked = set(content_words(question))
    sentences = spans_of(shown.text)

    def worth(span: Span) -> tuple[int, int]:
        held = [text for text in sentences if text[0] <= span[0] < text[1]]
        words = content_words(shown.text[slice(*held[0])]) if held else []
        return len(asked.intersection(words)), span[0] - span[1]

    return max(shown.answers, key=worth, default=None)


def as_keywords(question: str) -> str:
    """A question without its small words.

    Examples:
        >>> from multihop.training.lessons.reading_lessons import as_keywords
        >>> as_keywords("In which country is Lake Tana?")
        'country Lake Tana'
    """
    words = [word for word in _WORD.findall(question) if content_words(word)]
    return " ".join(words) or question


def _shown(page: ReadParagraph | Passage, question: str, words: int, dice: random.Random, *, titled: bool) -> Shown:
    """An excerpt of a paragraph around the sentence that is closest to the question, or around the answer."""
    answers = page.answers if isinstance(page, ReadParagraph) else ()
    focus = best_answer(Shown(page.text, answers), question) or closest_sentence(page.text, question)
    start, end = excerpt(page.text, focus, words, dice)
    title = f"{page.title} | " if titled and page.title else ""
    moved = len(title) - start
    text = title + page.text[start:end]
    inside = ((first + moved, last + moved) for first, last in answers if start <= first and last <= end)
    trimmed = (trim(text, span) for span in inside)
    return Shown(text, tuple(span for span in trimmed if span[0] < span[1]))


def misleading(
    item: ReadingItem, found: Sequence[Passage], most: int, *, titled: bool
) -> list[ReadParagraph | Passage]:
    """The item's other paragraphs, then what a search finds, that do not answer either; titled as the right one is."""
    own = [page for page in item.paragraphs if not page.supporting and item.kind != "none"]
    shown: list[ReadParagraph | Passage] = [*own, *found]
    pages: dict[str, ReadParagraph | Passage] = {}
    for page in shown:  # the search finds the item's own paragraphs too
        pages.setdefault(page.text, page)
    gold = [page.text for page in item.supporting or item.paragraphs]
    names = {page.title for page in item.supporting if page.title and item.kind in ("yes", "no")}

    def misleads(page: ReadParagraph | Passage) -> bool:
        if page.title in names or (titled and not page.title):
            return False
        same = any(alike(page.text, each) for each in gold)
        return not same and not (item.kind == "span" and occurrences(page.text, item.answers))

    return list(islice(filter(misleads, pages.values()), most))


def alike(one: str, other: str) -> bool:
    """True if two paragraphs share so many words that they are taken for the same."""
    words, others = _words_of(one), _words_of(other)
    return len(words & others) > ALIKE * min(len(words), len(others))


@lru_cache(maxsize=1 << 16)
def _words_of(text: str) -> frozenset[str]:
    """The words that a paragraph is told by; many questions find the same one."""
    return frozenset(content_words(text))
