"""Training data for the encoder, from gold alone: which passages help, what in them does, and what to ask next.

EfficientRAG (Zhuang et al., 2024), section 3.2, has an LM write these labels. Where a set brings its sub-questions,
triples or supporting sentences they follow from those, with no LM; for other sets an LM may be the teacher.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...base.sentences import Span
from ...base.titled_text import split_title
from ...data import Question
from ...encoder import condense
from ...encoder.layout import Pair
from ...retrieval import Passage, Retriever
from ..gold import Found, gold_path, looked_up, occurrences, single_hops
from .next_query import QueryLesson, queries_after, supported, useful
from .teacher import Teacher

NEGATIVES = 5
"""Passages of a lesson that do not help."""
AnswerLabel = Span | Literal["yes", "no"] | None


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """One passage with all that the encoder should say of it."""

    pair: Pair
    relevant: bool
    enough: bool = False
    """Whether nothing is missing once this passage is known."""
    useful: tuple[Span, ...] = ()
    """What in the passage brings the answer closer."""
    answer: AnswerLabel = None
    """The answer to the question, where this passage or what is known already says it."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Passages that compete under one question and the same known ones, and the queries that follow."""

    candidates: tuple[LabelledPassage, ...]
    queries: tuple[QueryLesson, ...] = ()


def lessons(
    questions: Iterable[Question],
    pool: Sequence[Passage],
    retriever: Retriever,
    *,
    seed: int = 0,
    teacher: Teacher | None = None,
) -> Iterator[Lesson]:
    """Lessons from every question whose gold is there, in whole or for single hops.

    Args:
        questions: With answers and supporting paragraphs, and what the set knows about the hops.
        pool: All paragraphs there are to train with.
        retriever: Finds hard negatives in the pool.
        seed: Of the choice among the negatives.
        teacher: An LM that takes the questions apart whose set does not; without it, their hops follow from the
            paragraphs that name each other.

    Examples:
        >>> from multihop import BM25, World
        >>> from multihop.optimize.training.label import lessons
        >>> world = World(questions=20)
        >>> pages = list(world.passages())
        >>> lesson = next(lessons(world.questions(), pages, BM25.build(pages)))
        >>> [candidate.relevant for candidate in lesson.candidates]
        [True, True, False, False, False, False, False]
    """
    dice = random.Random(seed)
    by_name = _by_name(pool)
    asked = list(questions)
    paths = [gold_path(question, by_name) for question in asked]
    if teacher is not None:
        paths = _taught(asked, paths, teacher)
    for question, path in zip(asked, paths, strict=True):
        negatives = _negatives(question, path, retriever)
        if len(path) > 1 and negatives:
            yield from _lessons_of_path(question, path, negatives, dice, teacher)
        pages = question.passages or looked_up(question, by_name)
        yield from _lessons_of_hops(question, pages, negatives, retriever, dice, whole=bool(path))


def _by_name(pool: Iterable[Passage]) -> dict[str, list[Passage]]:
    """The passages by their ids and by their titles."""
    by_name: dict[str, list[Passage]] = {}
    for passage in pool:
        for name in {passage.id, passage.title} - {""}:
            by_name.setdefault(name, []).append(passage)
    return by_name


def _taught(asked: Sequence[Question], paths: Sequence[list[Found]], teacher: Teacher) -> list[list[Found]]:
    """The paths, those whose sets do not tell the single questions as the teacher tells them."""
    untold = [place for place, path in enumerate(paths) if len(path) > 1 and not asked[place].decomposition]
    taught = teacher.paths([(asked[place].question, asked[place].answer, paths[place]) for place in untold])
    told = dict(zip(untold, taught, strict=True))
    return [told.get(place, path) for place, path in enumerate(paths)]


def _negatives(question: Question, path: Sequence[Found], retriever: Retriever) -> list[str]:
    """Paragraphs that mislead: the question's own, and what a search finds, but no gold."""
    own = [str(passage) for passage in question.passages]
    words = [question.question, *(f"{question.question} {' '.join(found.said)}" for found in path)]
    hits = [str(hit.passage) for ranking in retriever.search(words, 8) for hit in ranking]
    gold = {found.passage for found in path}
    return [text for text in dict.fromkeys([*own, *hits]) if text not in gold]


def _lessons_of_hops(
    question: Question,
    pages: Sequence[Passage],
    negatives: Sequence[str],
    retriever: Retriever,
    dice: random.Random,
    *,
    whole: bool,
) -> Iterator[Lesson]:
    """Each hop under its own question; where the path is not at hand as a whole, under the whole question too."""
    gold = {hop.passage or (hop.triple or ("",))[0] for hop in question.decomposition}
    foreign = [text for text in negatives if (split_title(text)[0] or text) not in gold]
    for passage, single, answer in single_hops(question, pages):
        found = Found(str(passage), (answer,), single)
        near = [str(hit.passage) for hit in retriever.search([single], 8)[0]]
        others = [text for text in dict.fromkeys([*near, *foreign]) if text != found.passage]
        wrong = [LabelledPassage(Pair(single, text), False) for text in _some(others, dice)[: NEGATIVES - 2]]
        yield Lesson((_labelled(single, found, (), enough=True, answers=[answer]), *wrong))
        if foreign and not whole:
            place = next(place for place, hop in enumerate(question.decomposition) if hop.answer == answer)
            yield from _lessons_under_whole(question, place, found, foreign, dice)


def _lessons_under_whole(
    question: Question, place: int, found: Found, foreign: Sequence[str], dice: random.Random
) -> Iterator[Lesson]:
    """One hop under the whole question: with nothing known, and with what the hops before it say."""
    last = place == len(question.decomposition) - 1
    for known in dict.fromkeys([(), _told(question, place)]):
        enough = last and bool(known)
        right = _labelled(question.question, found, known, enough=enough, answers=question.answers)
        wrong = [LabelledPassage(Pair(question.question, text, known), False) for text in _some(foreign, dice)]
        yield Lesson((right, *wrong))


def _told(question: Question, place: int) -> tuple[str, ...]:
    """What the hops before this one say, in place of paragraphs that are not at hand."""
    told = []
    for hop in question.decomposition[max(0, place - 2) : place]:
        subject, relation, _ = hop.triple or (hop.passage, hop.question.replace(" >> ", " "), "")
        told.append(f"{subject} | {relation}: {hop.answer}.")
    return tuple(told)


def _lessons_of_path(
    question: Question,
    path: Sequence[Found],
    negatives: Sequence[str],
    dice: random.Random,
    teacher: Teacher | None,
) -> Iterator[Lesson]:
    """With nothing known, with each beginning of the path, with its other paragraphs alone, with a wrong one."""
    beginnings = [tuple(path[:length]) for length in range(len(path))]
    alone = [(found,) for found in path[1:]]
    for known in dict.fromkeys([*beginnings, *alone]):
        told = tuple(condense(found.passage, useful(found)) for found in known)
        rest = [found for found in path if found not in known]
        right = [
            _labelled(question.question, found, told, enough=len(rest) == 1, answers=question.answers) for found in rest
        ]
        wrong = [LabelledPassage(Pair(question.question, text, told), False) for text in _some(negatives, dice)]
        yield Lesson((*right, *wrong), tuple(queries_after(question, known, path, teacher)))
    astray = dice.choice(negatives)
    told = (condense(astray, ()),)
    right = [_labelled(question.question, found, told, enough=False, answers=()) for found in path]
    yield Lesson(
        (*right, *(LabelledPassage(Pair(question.question, each, told), False) for each in _some(negatives, dice)[:4]))
    )


def _some(negatives: Sequence[str], dice: random.Random) -> list[str]:
    """Half of them from the front, where the likeliest are, the others from anywhere."""
    front = list(negatives[: NEGATIVES + 2])
    dice.shuffle(front)
    back = [each for each in negatives if each not in front]
    dice.shuffle(back)
    half = NEGATIVES - min(NEGATIVES // 2, len(back))
    return [*front[:half], *back[: NEGATIVES - half]]


def _labelled(
    question: str, found: Found, known: tuple[str, ...], *, enough: bool, answers: Sequence[str]
) -> LabelledPassage:
    answer: AnswerLabel = None
    if enough and answers:
        answer = _answer(found, answers)
    return LabelledPassage(Pair(question, found.passage, known), True, enough, tuple(useful(found)), answer)


def _answer(found: Found, answers: Sequence[str]) -> AnswerLabel:
    if answers[0].lower() in ("yes", "no"):
        return "yes" if answers[0].lower() == "yes" else "no"
    spans = occurrences(found.passage, answers)
    inside = [span for span in spans if supported(span, found)]
    return next(iter([*inside, *spans]), None)
