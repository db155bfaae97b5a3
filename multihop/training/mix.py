"""The lessons of one training: of questions to read with, and of questions of several hops."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from ..base import InputError
from ..data import Question
from ..retrieval import BM25, Passage
from .lessons.composed import composed_questions
from .lessons.described import described_items
from .lessons.hop_queries import hop_query_lessons
from .lessons.label import Lesson, lessons
from .lessons.path_lessons import as_path_lesson, path_lessons
from .lessons.reading_items import ReadingItem, is_reading_file, open_reading
from .lessons.reading_lessons import draw_items, reading_lessons, reading_pool
from .lessons.teacher import Teacher


def read_items(sources: Iterable[str]) -> tuple[list[ReadingItem], list[str]]:
    """The items of those sources that are files of questions to read with, and the names of the other sources."""
    items: list[ReadingItem] = []
    others = []
    for source in sources:
        path = Path(source).expanduser()
        if path.is_file() and is_reading_file(path):
            items += open_reading(path)
        else:
            others.append(source)
    return items, others


def mixed_lessons(
    items: Sequence[ReadingItem],
    questions: Sequence[Question],
    passages: Iterable[Passage] = (),
    *,
    per_paragraph: int = 1,
    described: int = 0,
    composed: int = 0,
    replay: int | None = None,
    most: int | None = None,
    seed: int = 0,
    teacher: Teacher | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Lesson]:
    """The lessons of items and of questions; items that are held back are not among them.

    An item of several hops that brings misleading paragraphs of its own is learned from as a question is.

    Args:
        items: To learn reading from.
        questions: Training questions, with paragraphs of their own or without.
        passages: The passages among which the paragraphs of those without are looked up, by title.
        per_paragraph: The most items of the same paragraph to draw.
        described: The number of sentences of the items' paragraphs to learn from besides, each with a name in it put
            as the description of what it names.
        composed: The most questions of several hops to make of the items, and to learn from besides.
        replay: The number of lessons of questions to draw beside those of items; all unless told.
        most: The number of all lessons to draw at random; all unless told.
        seed: The seed of everything that is drawn at random.
        teacher: See `lessons`.
        tell: Called with a line about the questions whose gold cannot be read.

    Raises:
        InputError: There is nothing to learn from, or a teacher and nothing to ask it.
    """
    drawn = draw_items(items, per_paragraph, random.Random(seed))
    made = _single_hops(drawn, described, seed) if drawn else []
    asked = [*questions, *(item.as_question() for item in drawn if item.has_hops), *_composed(items, composed, seed)]
    if asked:
        made += _some(_of_questions(lessons, asked, passages, seed=seed, teacher=teacher, tell=tell), replay, seed)
    elif teacher is not None:
        raise InputError("a teacher labels questions of several hops, and there are none; leave out --teacher-lm.")
    return _some(made, most, seed)


def efficient_rag_lessons(
    part: Literal["labeler", "filter"],
    questions: Sequence[Question],
    passages: Iterable[Passage] = (),
    *,
    most: int | None = None,
    seed: int = 0,
    teacher: Teacher | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Lesson]:
    """The lessons of EfficientRAG's labeler, or of its filter; all options as for `mixed_lessons`.

    Raises:
        InputError: There is nothing to learn from.
    """
    made = _of_questions(hop_query_lessons, questions, passages, seed=seed, teacher=teacher, tell=tell)
    if part == "labeler":
        return _some([Lesson(lesson.candidates) for lesson in made], most, seed)
    return _some([Lesson((), lesson.queries) for lesson in made if lesson.queries], most, seed)


def reader_lessons(
    items: Sequence[ReadingItem],
    questions: Sequence[Question],
    passages: Iterable[Passage] = (),
    *,
    per_paragraph: int = 1,
    described: int = 0,
    composed: int = 0,
    most: int | None = None,
    seed: int = 0,
) -> list[Lesson]:
    """The lessons of the reader, which is shown several pages at once; all options as for `mixed_lessons`."""
    dice = random.Random(seed)
    drawn = draw_items(items, per_paragraph, dice)
    of_pages = [item.as_question() for item in drawn if len(item.supporting) > 1 and item.kind != "none"]
    made = [as_path_lesson(lesson, dice) for lesson in _single_hops(drawn, described, seed)] if drawn else []
    asked = [*questions, *of_pages, *_composed(items, composed, seed)]
    made += _of_questions(path_lessons, asked, passages, seed=seed)
    return _some(made, most, seed)


def _of_questions(
    make: Callable[..., Iterable[Lesson]], questions: Sequence[Question], passages: Iterable[Passage], **options: Any
) -> list[Lesson]:
    """The lessons that `make` makes of questions, their pool and what searches it; of an empty pool none."""
    pool = _pool(questions, passages)
    return list(make(questions, pool, BM25.build(pool), **options)) if pool else []


def _composed(items: Iterable[ReadingItem], most: int, seed: int) -> list[Question]:
    return composed_questions([item for item in items if not item.held_back], most, seed)


def _single_hops(drawn: Sequence[ReadingItem], described: int, seed: int) -> list[Lesson]:
    pool = reading_pool(drawn)
    sentences = described_items([page for page in pool if page.title], described, seed)
    return list(reading_lessons([*drawn, *sentences], BM25.build(pool), seed=seed))


def _pool(questions: Iterable[Question], passages: Iterable[Passage]) -> list[Passage]:
    """The questions' own passages and those of the corpora, each once and with an id that no other has.

    The same paragraph comes with many questions, and ids of different sets may clash.
    """
    own = [passage for question in questions for passage in question.passages]
    texts = {str(passage): passage for passage in [*own, *passages]}
    return [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]


def _some(made: list[Lesson], most: int | None, seed: int) -> list[Lesson]:
    """So many of the lessons at most, drawn at random.

    Raises:
        InputError: There are none.
    """
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)
