"""The lessons of one training: questions to read with, and questions of several hops beside them."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..data import Question
from ..retrieval import BM25, Passage
from .encoder_training import all_lessons, pool_of, some_of, world_of
from .lessons.composed import composed_questions
from .lessons.described import described_items
from .lessons.label import Lesson, Tags
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
    world: int = 150,
    most: int | None = None,
    seed: int = 0,
    teacher: Teacher | None = None,
    tags: Tags = "more-needed",
    tell: Callable[[str], None] = lambda line: None,
) -> list[Lesson]:
    """The lessons of items and of questions together; items that are held back are not among them.

    An item of several hops that brings misleading paragraphs of its own is learned from as a question is.

    Args:
        items: To learn reading from.
        questions: See `all_lessons`.
        passages: See `all_lessons`.
        per_paragraph: The most items of the same paragraph to draw.
        described: The number of sentences of the items' paragraphs to learn from besides, each with a name in it put
            as the description of what it names.
        composed: The most questions of several hops to make of the items, and to learn from besides.
        replay: The number of lessons of questions and of the world to draw beside those of items; all unless told.
        world: See `all_lessons`.
        most: The number of all lessons to draw by lot; all unless told.
        seed: The seed of everything that is drawn by lot.
        teacher: See `all_lessons`.
        tags: See `all_lessons`.
        tell: See `all_lessons`.
    """
    drawn = draw_items(items, per_paragraph, random.Random(seed))
    of_hops = [item.as_question() for item in drawn if item.has_hops]
    of_hops += _composed(items, composed, seed)
    made = _single_hops(drawn, described, seed) if drawn else []
    if questions or of_hops or world or not made:
        made += all_lessons(
            [*questions, *of_hops], passages, world=world, most=replay, seed=seed, teacher=teacher, tags=tags, tell=tell
        )
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def reader_lessons(
    items: Sequence[ReadingItem],
    questions: Sequence[Question],
    passages: Iterable[Passage] = (),
    *,
    per_paragraph: int = 1,
    described: int = 0,
    composed: int = 0,
    world: int = 150,
    most: int | None = None,
    seed: int = 0,
) -> list[Lesson]:
    """The lessons of the reader, which is shown several pages at once; all options as for `mixed_lessons`."""
    dice = random.Random(seed)
    drawn = draw_items(items, per_paragraph, dice)
    of_pages = [item.as_question() for item in drawn if len(item.supporting) > 1 and item.kind != "none"]
    made = [as_path_lesson(lesson, dice) for lesson in _single_hops(drawn, described, seed)] if drawn else []
    asked = [*questions, *of_pages, *_composed(items, composed, seed)]
    if pool := pool_of(asked, passages):
        made += path_lessons(asked, pool, BM25.build(pool), seed=seed)
    if world:
        of_world, pages = world_of(world)
        made += path_lessons(of_world, pages, BM25.build(pages), seed=seed)
    return some_of(made, most, seed)


def _composed(items: Iterable[ReadingItem], most: int, seed: int) -> list[Question]:
    return composed_questions([item for item in items if not item.held_back], most, seed)


def _single_hops(drawn: Sequence[ReadingItem], described: int, seed: int) -> list[Lesson]:
    pool = reading_pool(drawn)
    sentences = described_items([page for page in pool if page.title], described, seed)
    return list(reading_lessons([*drawn, *sentences], BM25.build(pool), seed=seed))
