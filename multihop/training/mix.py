"""The lessons of one training: of questions of several hops, and of files that teach to read."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..base import InputError
from ..data import Question, open_questions
from ..data.gold.gold_passages import PassageLookup
from ..retrieval import BM25, Passage
from .lessons.judging import judge_lessons
from .lessons.lesson import Lesson
from .lessons.pages import as_pages, page_lessons
from .lessons.queries import query_lessons
from .lessons.reading import draw_items, reading_lessons, reading_pool
from .lessons.rows import ReadingItem, is_reading_file, open_reading, row_of
from .lessons.ways import Way, read_ways, told_hops

EncoderPart = Literal["judge", "reader", "labeler", "filter"]


class Material(NamedTuple):
    """All that lessons are made of."""

    questions: list[Question]
    """Training questions, with paragraphs of their own or with the titles of their gold paragraphs."""
    items: list[ReadingItem] = []
    """Questions to read with."""
    pages: list[Passage] = []
    """Passages among which gold paragraphs are looked up by title if they do not come with their question."""


def open_material(sources: Iterable[str], pages: Iterable[Passage] = ()) -> Material:
    """The questions of all sources, those that teach to read apart."""
    made = Material([], [], list(pages))
    for source in sources:
        path = Path(source).expanduser()
        if path.is_file() and is_reading_file(path):
            made.items.extend(open_reading(path))
        else:
            made.questions.extend(open_questions(source))
    return made


def make_lessons(
    part: EncoderPart, material: Material, *, per_paragraph: int = 1, most: int | None = None, seed: int = 0
) -> list[Lesson]:
    """The lessons that a part of the encoder learns from; items that are held back are not among them.

    Args:
        part: The part. Labeler and filter learn from questions of several hops alone.
        material: What the lessons are made of.
        per_paragraph: The most items of the same paragraph to draw.
        most: The number of lessons to draw at random; all unless told.
        seed: The seed of everything that is drawn at random.

    Raises:
        InputError: There is nothing to learn from.
    """
    dice = random.Random(seed)
    drawn = draw_items(material.items, per_paragraph, dice)
    questions = [*material.questions, *(item.as_question() for item in drawn if item.has_hops)]
    pool = _pool(questions, material.pages)
    ways = read_ways(questions, pool)
    made: list[Lesson] = []
    if part in ("labeler", "filter"):
        every = query_lessons(ways, BM25.build(pool), seed=seed) if ways else ()
        made = [Lesson(each.candidates) if part == "labeler" else Lesson((), each.queries) for each in every]
        made = [each for each in made if each.candidates or each.queries]
    else:
        rows = [*drawn, *_told_rows(questions, ways, pool)]
        if rows:
            made += reading_lessons(rows, BM25.build(reading_pool(rows)), seed=seed)
        if part == "reader":
            made = [as_pages(lesson, dice) for lesson in made]
        if ways:
            make = page_lessons if part == "reader" else judge_lessons
            made += make(ways, BM25.build(pool), seed=seed)
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def _told_rows(questions: Iterable[Question], ways: Sequence[Way], pool: Sequence[Passage]) -> list[ReadingItem]:
    """Each hop that a set tells as a question of its own, also where the way as a whole is not at hand."""
    read = {id(way.question) for way in ways}
    hops = [
        (finding.sub_question, finding.useful[0], finding.passage)
        for way in ways
        for finding in way.findings
        if finding.sub_question and finding.useful and finding.useful[0] != finding.passage.name
    ]
    lookup = PassageLookup(pool)
    hops += [hop for question in questions if id(question) not in read for hop in told_hops(question, lookup)]
    return [row_of(f"hop {place}", *hop) for place, hop in enumerate(hops)]


def _pool(questions: Iterable[Question], passages: Iterable[Passage]) -> list[Passage]:
    """The questions' own passages and those of the corpora, each once and with an id that no other has.

    The same paragraph comes with many questions, and ids of different sets may clash.
    """
    own = [passage for question in questions for passage in question.passages]
    texts = {str(passage): passage for passage in [*own, *passages]}
    return [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]
