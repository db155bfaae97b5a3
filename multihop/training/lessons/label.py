"""Training data for the encoder, from gold alone: which passages help, what in them does, and what to ask next.

EfficientRAG (Zhuang et al., 2024), section 3.2, has an LM write these labels. Here they follow from what a set brings,
sub-questions, triples or supporting sentences, with no LM, unless one is the teacher.

Differs from the paper: a passage is tagged "continue" where it helps and more is needed after it, so that the last one
of a way is tagged "terminate"; and a lesson shows the question with what is known, where the paper's shows the last
query. The lessons in `hop_queries.py` are as in the paper.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...base.english import Span, split_title
from ...data import Question
from ...data.gold import GoldReading, read_gold
from ...data.gold.gold_passages import PassageLookup
from ...data.gold.whole_words import occurrences
from ...encoder import condense
from ...encoder.layout import Pair
from ...retrieval import Passage, Retriever
from .findings import Finding, findings_of, hops_at_hand
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
    leads_on: bool = False
    """True if it is tagged "continue"; else it is tagged "terminate"."""
    enough: bool = False
    """True if nothing is missing once this passage is known."""
    useful: tuple[Span, ...] = ()
    """The spans of the passage that bring the answer closer."""
    answer: AnswerLabel = None
    """The answer to the question, where this passage or what is known already says it."""
    helpful: tuple[Span, ...] | None = None
    """The pages that help, where several are read as one passage."""


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
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[Lesson]:
    """Lessons from every question whose gold is there, in whole or for single hops.

    Args:
        questions: With answers and supporting paragraphs, and what the set knows about the hops.
        pool: All paragraphs there are to train with.
        retriever: Finds hard negatives in the pool.
        seed: The seed of the choice among the negatives.
        teacher: An LM that marks what matters in each paragraph and picks the next queries, and takes the questions
            apart whose set does not; without it, all of that follows from gold.
        tell: Called with a line about the questions whose gold cannot be read; of them, single hops may still be.
    """
    dice = random.Random(seed)
    asked, lookup = list(questions), PassageLookup(pool)
    reading = read_gold(asked, pool)
    if reading.unread:
        tell(str(reading))
    for question, path in zip(asked, _ways(asked, reading, teacher), strict=True):
        negatives = _negatives(question, path, retriever)
        if len(path) > 1 and negatives:
            yield from _lessons_of_path(question, path, negatives, dice, teacher)
        marks = {found.passage: found.useful for found in path} if teacher else {}
        yield from _lessons_of_hops(question, lookup, negatives, retriever, dice, marks, whole=bool(path))


def _ways(questions: Sequence[Question], reading: GoldReading, teacher: Teacher | None) -> list[list[Finding]]:
    """The findings on each question's way; none where its gold cannot be read."""
    ways = teacher.mark_all(reading.paths) if teacher else map(findings_of, reading.paths)
    found = dict(zip((id(path.question) for path in reading.paths), ways, strict=True))
    return [found.get(id(question), []) for question in questions]


def _negatives(question: Question, path: Sequence[Finding], retriever: Retriever) -> list[str]:
    """Paragraphs that mislead: the question's own, and what a search finds, but no gold."""
    own = [str(passage) for passage in question.passages]
    words = [question.question, *(f"{question.question} {' '.join(found.useful)}" for found in path)]
    hits = [str(hit.passage) for ranking in retriever.search(words, 8) for hit in ranking]
    gold = {found.passage for found in path}
    return [text for text in dict.fromkeys([*own, *hits]) if text not in gold]


def _lessons_of_hops(
    question: Question,
    lookup: PassageLookup,
    negatives: Sequence[str],
    retriever: Retriever,
    dice: random.Random,
    marks: Mapping[str, tuple[str, ...]],
    *,
    whole: bool,
) -> Iterator[Lesson]:
    """Each hop under its own question; where the path is not at hand as a whole, under the whole question too.

    What is useful in a passage are the teacher's marks, where there are some, or else the hop's answer.
    """
    gold = {hop.passage or (hop.triple or ("",))[0] for hop in question.decomposition}
    foreign = [text for text in negatives if (split_title(text)[0] or text) not in gold]
    for place, hop in hops_at_hand(question, lookup):
        single = hop.sub_question
        found = Finding(str(hop.passage), marks.get(str(hop.passage), (hop.answer,)), single)
        near = [str(hit.passage) for hit in retriever.search([single], 8)[0]]
        others = [text for text in dict.fromkeys([*near, *foreign]) if text != found.passage]
        wrong = [LabelledPassage(Pair(single, text), False) for text in _some(others, dice)[: NEGATIVES - 2]]
        yield Lesson((_labelled(single, found, (), enough=True, answers=[hop.answer]), *wrong))
        if foreign and not whole:
            yield from _lessons_under_whole(question, place, found, foreign, dice)


def _lessons_under_whole(
    question: Question, place: int, found: Finding, foreign: Sequence[str], dice: random.Random
) -> Iterator[Lesson]:
    """One hop under the whole question: with nothing known, and with what the hops before it say."""
    last = place == len(question.decomposition) - 1
    for known in dict.fromkeys([(), _known_before(question, place)]):
        enough = last and bool(known)
        right = _labelled(question.question, found, known, enough=enough, answers=question.answers)
        wrong = [LabelledPassage(Pair(question.question, text, known), False) for text in _some(foreign, dice)]
        yield Lesson((right, *wrong))


def _known_before(question: Question, place: int) -> tuple[str, ...]:
    """The answers of the hops before this one, in place of paragraphs that are not at hand."""
    known = []
    for hop in question.decomposition[max(0, place - 2) : place]:
        subject, relation, _ = hop.triple or (hop.passage, hop.question.replace(" >> ", " "), "")
        known.append(f"{subject} | {relation}: {hop.answer}.")
    return tuple(known)


def _lessons_of_path(
    question: Question,
    path: Sequence[Finding],
    negatives: Sequence[str],
    dice: random.Random,
    teacher: Teacher | None,
) -> Iterator[Lesson]:
    """With nothing known, with each beginning of the path, with its other paragraphs alone, with a wrong one."""
    beginnings = [tuple(path[:length]) for length in range(len(path))]
    alone = [(found,) for found in path[1:]]
    for known in dict.fromkeys([*beginnings, *alone]):
        shown = tuple(condense(found.passage, useful(found)) for found in known)
        rest = [found for found in path if found not in known]
        right = [
            _labelled(question.question, found, shown, enough=len(rest) == 1, answers=question.answers)
            for found in rest
        ]
        wrong = [LabelledPassage(Pair(question.question, text, shown), False) for text in _some(negatives, dice)]
        yield Lesson((*right, *wrong), tuple(queries_after(question, known, path, teacher)))
    astray = dice.choice(negatives)
    shown = (condense(astray, ()),)
    right = [_labelled(question.question, found, shown, enough=False, answers=()) for found in path]
    yield Lesson(
        (*right, *(LabelledPassage(Pair(question.question, each, shown), False) for each in _some(negatives, dice)[:4]))
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
    question: str, found: Finding, known: tuple[str, ...], *, enough: bool, answers: Sequence[str]
) -> LabelledPassage:
    answer: AnswerLabel = None
    if enough and answers:
        answer = _answer(found, answers)
    return LabelledPassage(Pair(question, found.passage, known), True, not enough, enough, tuple(useful(found)), answer)


def _answer(found: Finding, answers: Sequence[str]) -> AnswerLabel:
    if answers[0].lower() in ("yes", "no"):
        return "yes" if answers[0].lower() == "yes" else "no"
    spans = occurrences(found.passage, answers)
    inside = [span for span in spans if supported(span, found)]
    return next(iter([*inside, *spans]), None)
