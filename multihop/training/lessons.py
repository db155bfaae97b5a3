"""The lessons of one training, of questions of one hop and of several."""

import random
from collections.abc import Iterable, Sequence
from typing import Literal

from ..base import InputError
from ..data import Question
from ..retrieval import BM25, Passage
from .gold_ways import Lesson, as_way, is_of_one_page, read_ways, told_hops
from .hop_lessons import judge_lessons, query_lessons
from .page_lessons import page_lessons
from .reading_lessons import reading_lessons

EncoderPart = Literal["judge", "reader", "labeler", "filter"]


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
