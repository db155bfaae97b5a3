"""The lessons of one training: of questions of several hops, and of files that teach to read."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..base import InputError
from ..data import Question, open_questions
from ..retrieval import BM25, Passage
from .gold_ways import Lesson, as_way, read_ways, told_rows
from .hop_lessons import judge_lessons, query_lessons
from .page_lessons import page_lessons
from .reading_lessons import is_held_back, is_reading_file, open_reading, reading_lessons

EncoderPart = Literal["judge", "reader", "labeler", "filter"]


class Material(NamedTuple):
    """All that lessons are made of."""

    questions: Sequence[Question]
    """Training questions, with paragraphs of their own or with the titles of their gold paragraphs."""
    rows: Sequence[Question] = ()
    """Questions to read with."""
    pages: Sequence[Passage] = ()
    """Passages among which gold paragraphs are looked up by title if they do not come with their question."""

    def split(self, share: float, seed: int = 0) -> tuple["Material", "Material"]:
        """The material without a share of its questions, and with these alone, which are drawn at random."""
        parts = []
        for every in (self.questions, self.rows):
            drawn = random.Random(seed).sample(every, len(every))
            size = min(len(every), max(1, round(share * len(every)))) if share else 0
            parts.append((drawn[size:], drawn[:size]) if size else (every, ()))
        return self._replace(questions=parts[0][0], rows=parts[1][0]), Material(parts[0][1], parts[1][1], self.pages)


def open_material(sources: Iterable[str], pages: Iterable[Passage] = ()) -> Material:
    """The questions of all sources, those that teach to read apart."""
    questions: list[Question] = []
    rows: list[Question] = []
    for source in sources:
        path = Path(source).expanduser()
        if path.is_file() and is_reading_file(path):
            rows += open_reading(path)
        else:
            questions += open_questions(source)
    return Material(questions, rows, list(pages))


def make_lessons(part: EncoderPart, material: Material, *, most: int | None = None, seed: int = 0) -> list[Lesson]:
    """The lessons that a part of the encoder learns from; rows that are held back are not among them."""
    rows = [row for row in material.rows if not is_held_back(row)]
    questions = [*material.questions, *(row for row in rows if len(row.supporting) > 1)]
    pool = _pool(questions, material.pages)
    ways = read_ways(questions, pool)
    made: list[Lesson] = []
    if part in ("labeler", "filter"):
        every = query_lessons(ways, BM25.build(pool), seed=seed) if ways else ()
        made = [Lesson(each.candidates) if part == "labeler" else Lesson((), each.queries) for each in every]
        made = [each for each in made if each.candidates or each.queries]
    else:
        rows += told_rows(questions, ways, pool)
        search = BM25.build(_pool(rows)) if rows else None
        if search and part == "judge":
            made += reading_lessons(rows, search, seed=seed)
        elif search:
            made += page_lessons(map(as_way, (row for row in rows if len(row.supporting) < 2)), search, seed=seed)
        if ways:
            make = page_lessons if part == "reader" else judge_lessons
            made += make(ways, BM25.build(pool), seed=seed)
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def _pool(questions: Iterable[Question], passages: Iterable[Passage] = ()) -> list[Passage]:
    """The questions' own passages and those of the corpora, each once and with an id that no other has.

    The same paragraph comes with many questions, and ids of different sets may clash.
    """
    own = [passage for question in questions for passage in question.passages]
    texts = {str(passage): passage for passage in [*own, *passages]}
    return [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]
