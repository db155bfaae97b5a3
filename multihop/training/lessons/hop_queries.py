"""Training data for EfficientRAG's labeler and filter: for each query on the way, what it finds and what follows it.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.2. The
first query is the question. After each paragraph comes the query that the filter should make of the last query and the
words marked in that paragraph, and so on along the hops that need what was found. Under each query the paragraphs that
help and are not known yet are tagged "continue", and the most similar others "terminate".

Differs from the paper: labels follow from gold, with no LM, unless one is the teacher; and under each query there are
four others, of which only two are the most similar ones, where the paper has one.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...base.english import Span, content_words
from ...data import Question
from ...data.gold import GoldPath, read_gold
from ...encoder import Pair
from ...retrieval import Passage, Retriever
from .findings import Finding, findings_of
from .label import LabelledPassage, Lesson
from .next_query import QueryLesson, query_after, useful, word_spans, words_in
from .teacher import Teacher

SIMILAR, OTHERS = 2, 2
"""Paragraphs that do not help under a query: the most similar ones, and some drawn of what else was found."""


class MarkedHop(NamedTuple):
    """One gold paragraph of a way."""

    found: Finding
    """The paragraph, and what it contributes."""
    marks: tuple[Span, ...]
    """The words for the labeler to mark: of the sub-question and of the answer, where the paragraph answers."""
    needs: frozenset[int]
    """The places of the paragraphs whose answers its sub-question uses."""


class QueryTurn(NamedTuple):
    """One query on the way."""

    query: str
    """The question, or what the filter should make of the query before and the words marked under it."""
    known: tuple[int, ...]
    """The places of the paragraphs that were found on the way to it."""
    picked: QueryLesson | None
    """The words of which the filter should make it; None for the question."""


def hop_query_lessons(
    questions: Iterable[Question],
    pool: Sequence[Passage],
    retriever: Retriever,
    *,
    seed: int = 0,
    teacher: Teacher | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[Lesson]:
    """A lesson for each query on the way of each question: the labeler's passages, and the filter's words.

    Args:
        questions: Training questions.
        pool: The paragraphs that the questions do not bring.
        retriever: Finds hard negatives in the pool.
        seed: The seed of the choice among the other negatives.
        teacher: An LM that marks the words and picks the queries; without it both follow from gold.
        tell: Called with a line about the questions whose gold cannot be read.
    """
    dice, reading = random.Random(seed), read_gold(list(questions), pool)
    if reading.unread:
        tell(str(reading))
    marked = teacher.mark_all(reading.paths) if teacher else [findings_of(path) for path in reading.paths]
    for path, findings in zip(reading.paths, marked, strict=True):
        hops = mark_hops(path, findings, by_teacher=teacher is not None)
        turns = list(query_turns(path.question.question, hops, teacher))
        found = retriever.search([turn.query for turn in turns], 2 * (SIMILAR + OTHERS))
        for turn, hits in zip(turns, found, strict=True):
            right = [hop for place, hop in enumerate(hops) if place not in turn.known]
            wrong = _negatives(path, [str(hit.passage) for hit in hits], dice)
            candidates = [
                *(LabelledPassage(Pair(turn.query, hop.found.passage), True, True, useful=hop.marks) for hop in right),
                *(LabelledPassage(Pair(turn.query, text), False) for text in wrong),
            ]
            yield Lesson(tuple(candidates), () if turn.picked is None else (turn.picked,))


def mark_hops(path: GoldPath, findings: Sequence[Finding], *, by_teacher: bool = False) -> list[MarkedHop]:
    """The gold paragraphs of a path with their marks, and which of them need which."""
    places = {page.id: place for place, page in enumerate(path.passages)}
    marked = []
    for place, (page, found) in enumerate(zip(path.passages, findings, strict=True)):
        hops = [hop for hop in path.hops if hop.passage.id == page.id]
        marks = set(useful(found))
        if not by_teacher:
            marks |= {span for hop in hops for span in _words_of(found.passage, hop.sentence, hop.sub_question)}
        needs = {places[path.hops[need].passage.id] for hop in hops for need in hop.needs}
        marked.append(MarkedHop(found, tuple(sorted(marks)), frozenset(needs - {place})))
    return marked


def query_turns(question: str, hops: Sequence[MarkedHop], teacher: Teacher | None = None) -> Iterator[QueryTurn]:
    """The question, and each query that follows on the way, the one before always first.

    A way begins at every paragraph that needs no other, and goes on to those that need the one found last.

    Examples:
        >>> from multihop import Little
        >>> from multihop.data.gold import read_gold
        >>> from multihop.training.lessons.findings import findings_of
        >>> from multihop.training.lessons.hop_queries import mark_hops, query_turns
        >>> path = read_gold(Little().questions(), Little().passages()).paths[0]
        >>> for turn in query_turns(path.question.question, mark_hops(path, findings_of(path))):
        ...     print(turn.known, turn.query)
        () In which country was the discoverer of penicillin born?
        (0,) In which country was the of born Alexander Fleming
    """
    yield QueryTurn(question, (), None)
    for place, hop in enumerate(hops):
        if not hop.needs:
            yield from _turns_after(question, (place,), hops, teacher)


def _turns_after(
    query: str, known: tuple[int, ...], hops: Sequence[MarkedHop], teacher: Teacher | None
) -> Iterator[QueryTurn]:
    last, missing = known[-1], [place for place in range(len(hops)) if place not in known]
    after = [place for place in missing if last in hops[place].needs]
    finding, new = _finding(hops[last])
    if not missing or not finding:
        return
    rest = [hops[place].found for place in dict.fromkeys([*after, *missing])]
    picked = query_after(query, finding, new, [hops[place].found for place in known], rest, teacher)
    words = [picked.pair.question[slice(*span)] for span in picked.asked]
    made = " ".join([*words, *(finding[slice(*span)] for span in picked.found or [(0, len(finding))])])
    yield QueryTurn(made, known, picked)
    for place in after:
        yield from _turns_after(made, (*known, place), hops, teacher)


def _finding(hop: MarkedHop) -> tuple[str, list[Span]]:
    """The marked words of a paragraph in a row, and the places of those that answer, neighbours together."""
    passage, answering = hop.found.passage, useful(hop.found)
    text, new = "", list[Span]()
    for start, end in words_in(passage, hop.marks):
        begin = len(text) + bool(text)
        text = f"{text} {passage[start:end]}".strip()
        if any(start < last and first < end for first, last in answering):
            joined = new and new[-1][1] + 1 == begin
            new = [*new[:-1], (new[-1][0], len(text))] if joined else [*new, (begin, len(text))]
    return text, new


def _words_of(passage: str, sentence: str, sub_question: str) -> Iterator[Span]:
    """The words of a sentence in a passage that the sub-question has as well."""
    start, asked = passage.find(sentence), set(content_words(sub_question))
    for begin, end in word_spans(sentence) if start >= 0 else ():
        if asked.intersection(content_words(sentence[begin:end])):
            yield start + begin, start + end


def _negatives(path: GoldPath, hits: Sequence[str], dice: random.Random) -> list[str]:
    """The most similar paragraphs that are no gold, and some of the others that mislead."""
    gold = {str(page) for page in path.passages}
    others = [text for text in dict.fromkeys([*hits, *map(str, path.question.passages)]) if text not in gold]
    near, far = others[:SIMILAR], others[SIMILAR:]
    return near + dice.sample(far, min(OTHERS, len(far)))
