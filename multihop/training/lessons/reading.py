"""Lessons of one hop: a paragraph that answers a question, and others that only look as if they did."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from ...base.english import Span, content_words, sentence_spans
from ...data.gold.whole_words import occurrences
from ...encoder.judgement import trim
from ...encoder.layout import Pair
from ...retrieval import Passage, Retriever
from .lesson import AnswerLabel, LabelledPassage, Lesson
from .rows import ReadingItem, ReadParagraph

HITS = 12
"""Paragraphs that are looked at for each question, to find those that mislead."""
NEGATIVES = {"span": 4, "yes": 2, "no": 2, "none": 1}
"""Paragraphs of a lesson that do not answer; whether the answer is yes or no is learned from the other one."""
WORDS = 80
"""The words shown of a paragraph in a lesson, unless the sentence that counts is longer."""
UNTITLED = 0.3
"""The share of the lessons that show no titles though there are some: some corpora have none."""
ALIKE = 0.5
"""From this share of common words on, of the shorter one's, two paragraphs are taken for the same."""


def reading_pool(items: Iterable[ReadingItem]) -> list[Passage]:
    """All paragraphs of the items, each once, among which misleading ones are looked for."""
    texts = {(page.title, page.text): None for item in items for page in item.paragraphs if len(page.text.split()) > 4}
    return [Passage(f"{place}", title, text) for place, (title, text) in enumerate(texts)]


def draw_items(items: Iterable[ReadingItem], most: int, dice: random.Random) -> list[ReadingItem]:
    """The items that are not held back, at most so many of each paragraph, drawn at random."""
    every = [item for item in items if not item.held_back]
    dice.shuffle(every)
    counts: dict[tuple[str, bool], int] = {}
    drawn = []
    for item in every:
        key = (item.supporting or item.paragraphs)[0].text, item.kind == "none"
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= most:
            drawn.append(item)
    return drawn


def reading_lessons(items: Sequence[ReadingItem], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """A lesson of each item whose answer one paragraph tells, or that none does.

    Args:
        items: The questions to read with.
        retriever: Finds paragraphs that mislead.
        seed: The seed of what is drawn at random.
    """
    alone = [item for item in items if len(item.supporting) < 2]
    for start in range(0, len(alone), 256):
        part = alone[start : start + 256]
        found = retriever.search([item.question for item in part], HITS)
        for item, hits in zip(part, found, strict=True):
            lesson = _lesson(item, [hit.passage for hit in hits], random.Random(f"{seed} {item.source} {item.id}"))
            if lesson is not None:
                yield lesson


def _lesson(item: ReadingItem, found: Sequence[Passage], dice: random.Random) -> Lesson | None:
    asked = item.question
    main = item.supporting[0] if item.supporting else closest_page(item)
    titled = bool(main.title) and dice.random() >= UNTITLED
    size = min(WORDS, max(20, len(main.text.split())))
    text, answers = _shown(main, asked, size, dice, titled=titled)
    if item.kind == "span" and not answers:
        return None
    first = LabelledPassage(Pair(asked, text), False)
    if item.supporting:
        answer = best_answer(text, answers, asked) if item.kind == "span" else verdict_of(item.kind)
        useful = (answer,) if isinstance(answer, tuple) else ()
        first = LabelledPassage(Pair(asked, text), True, enough=True, useful=useful, answer=answer)
    wrong = [
        LabelledPassage(Pair(asked, _shown(page, asked, size, dice, titled=titled)[0]), False)
        for page in misleading(item, found, NEGATIVES[item.kind], titled=titled)
    ]
    return Lesson((first, *wrong))


def verdict_of(answer: str) -> AnswerLabel:
    """The label of an answer that is yes or no; None for any other."""
    word = answer.lower()
    return "yes" if word == "yes" else "no" if word == "no" else None


def closest_page(item: ReadingItem) -> ReadParagraph:
    """The paragraph of an item that shares most words with its question."""
    asked = set(content_words(item.question))
    return max(item.paragraphs, key=lambda page: len(asked.intersection(content_words(page.text))))


def best_answer(text: str, answers: Sequence[Span], question: str) -> Span | None:
    """The answer's span in the sentence that shares most words with the question, and there the shortest wording."""
    asked = set(content_words(question))

    def worth(span: Span) -> tuple[int, int]:
        held = [sentence for sentence in _sentences(text) if sentence[0] <= span[0] < sentence[1]]
        return len(asked.intersection(content_words(text[slice(*held[0])]))) if held else 0, span[0] - span[1]

    return max(answers, key=worth, default=None)


def _shown(
    page: ReadParagraph | Passage, question: str, words: int, dice: random.Random, *, titled: bool
) -> tuple[str, list[Span]]:
    """An excerpt of a paragraph as "title | text", around the answer or what is closest to the question, and the
    places of the answer in it.
    """
    answers = page.answers if isinstance(page, ReadParagraph) else ()
    focus = best_answer(page.text, answers, question) or _closest_sentence(page.text, question)
    start, end = excerpt(page.text, focus, words, dice)
    title = f"{page.title} | " if titled and page.title else ""
    moved = len(title) - start
    text = title + page.text[start:end]
    inside = [trim(text, (first + moved, last + moved)) for first, last in answers if start <= first and last <= end]
    return text, [span for span in inside if span[0] < span[1]]


def _closest_sentence(text: str, question: str) -> Span:
    """The sentence that shares most words with the question; the first of equals."""
    asked = set(content_words(question))
    return max(_sentences(text), key=lambda span: len(asked.intersection(content_words(text[slice(*span)]))))


def excerpt(text: str, focus: Span, words: int, dice: random.Random) -> Span:
    """The sentences that hold the focus, and as many before and after them, drawn at random, as fit into so many words.

    Examples:
        >>> import random
        >>> from multihop.training.lessons.reading import excerpt
        >>> text = "It rains. Emma is a novel. Jane Austen wrote it. It sold well."
        >>> text[slice(*excerpt(text, (27, 38), 8, random.Random(1)))]
        'Emma is a novel. Jane Austen wrote it.'
    """
    spans = _sentences(text)
    sizes = [len(text[slice(*span)].split()) for span in spans]
    inside = [place for place, span in enumerate(spans) if span[0] < focus[1] and focus[0] < span[1]] or [0]
    first, last = inside[0], inside[-1]
    room = words - sum(sizes[first : last + 1])
    while True:
        before, after = first > 0 and sizes[first - 1] <= room, last + 1 < len(spans) and sizes[last + 1] <= room
        if not before and not after:
            return spans[first][0], spans[last][1]
        if before and (not after or dice.random() < 0.5):
            first -= 1
            room -= sizes[first]
        else:
            last += 1
            room -= sizes[last]


@lru_cache(maxsize=1 << 16)
def _sentences(text: str) -> list[Span]:
    """The sentences of a text that is not blank, and the whole of one that is; many lessons show the same text."""
    return sentence_spans(text) or [(0, len(text))]


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
