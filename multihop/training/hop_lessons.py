"""Training data for EfficientRAG's labeler and filter: for each query on the way, what it finds and what follows it.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.2. The
first query is the question. After each paragraph comes the query that the filter should make of the last query and the
words marked in that paragraph, and so on along the hops that need what was found. Under each query the paragraphs that
help and are not known yet are tagged "continue", and the most similar others "terminate".

Differs from the paper: labels follow from gold, with no LM; and under each query there are four others, of which only
two are the most similar ones, where the paper has one.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..base.english import Span, content_words, stem
from ..data.names_in_text import occurrences
from ..encoder import Pair, condense
from ..retrieval import Retriever
from .gold_ways import AnswerLabel, Finding, LabelledPassage, Lesson, QueryLesson, Way

SIMILAR, OTHERS = 2, 2
"""Paragraphs that do not help under a query: the most similar ones, and some drawn of what else was found."""
_WORD = re.compile(r"\w[\w'’.-]*\w|\w")
_PLAIN_WORD = re.compile(r"[^\W_]+")


class QueryTurn(NamedTuple):
    """One query on the way."""

    query: str
    """The question, or what the filter should make of the query before and the words marked under it."""
    known: tuple[int, ...]
    """The places of the paragraphs that were found on the way to it."""
    picked: QueryLesson | None
    """The words of which the filter should make it; None for the question."""


def query_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """A lesson for each query on the way of each question: the labeler's passages, and the filter's words."""
    dice = random.Random(seed)
    for way in ways:
        turns = list(query_turns(way))
        found = retriever.search([turn.query for turn in turns], 2 * (SIMILAR + OTHERS))
        gold = {finding.text for finding in way.findings}
        own = list(map(str, way.question.passages))
        for turn, hits in zip(turns, found, strict=True):
            texts = dict.fromkeys([*(str(hit.passage) for hit in hits), *own])
            near = [text for text in texts if text not in gold]
            wrong = near[:SIMILAR] + dice.sample(near[SIMILAR:], min(OTHERS, len(near[SIMILAR:])))
            right = [finding for place, finding in enumerate(way.findings) if place not in turn.known]
            candidates = [
                *(_helps(turn.query, finding, way.question.question) for finding in right),
                *(LabelledPassage(Pair(turn.query, text), False) for text in wrong),
            ]
            yield Lesson(tuple(candidates), () if turn.picked is None else (turn.picked,))


def _helps(query: str, finding: Finding, question: str) -> LabelledPassage:
    return LabelledPassage(Pair(query, finding.text), True, True, useful=tuple(marks_of(finding, question)))


def marks_of(finding: Finding, question: str) -> list[Span]:
    """The words for the labeler to mark: the answer, and what the sentence shares with its question."""
    marks, asked = set(finding.spans()), set(content_words(finding.sub_question or question))
    for sentence in finding.sentences:
        start = finding.text.find(sentence)
        for begin, end in word_spans(sentence) if start >= 0 else ():
            if asked.intersection(content_words(sentence[begin:end])):
                marks.add((start + begin, start + end))
    return sorted(marks)


def query_turns(way: Way) -> Iterator[QueryTurn]:
    """The question, and each query that follows on the way, the one before always first.

    A way begins at every paragraph that needs no other, and goes on to those that need the one found last.
    """
    yield QueryTurn(way.question.question, (), None)
    for place, finding in enumerate(way.findings):
        if not finding.needs:
            yield from _turns_after(way.question.question, (place,), way)


def _turns_after(query: str, known: tuple[int, ...], way: Way) -> Iterator[QueryTurn]:
    findings = way.findings
    last, missing = known[-1], [place for place in range(len(findings)) if place not in known]
    after = [place for place in missing if last in findings[place].needs]
    found, new = _found(findings[last], marks_of(findings[last], way.question.question))
    if not missing or not found:
        return
    rest = [findings[place] for place in dict.fromkeys([*after, *missing])]
    picked = query_after(query, found, new, [findings[place] for place in known], rest)
    words = [query[slice(*span)] for span in picked.asked]
    made = " ".join([*words, *(found[slice(*span)] for span in picked.found or [(0, len(found))])])
    yield QueryTurn(made, known, picked)
    for place in after:
        yield from _turns_after(made, (*known, place), way)


def _found(finding: Finding, marks: Sequence[Span]) -> tuple[str, list[Span]]:
    """The marked words of a paragraph in a row, and the places of those that answer, neighbours together."""
    text, new, answering = "", list[Span](), finding.spans()
    for start, end in words_in(finding.text, marks):
        begin = len(text) + bool(text)
        text = f"{text} {finding.text[start:end]}".strip()
        if any(start < last and first < end for first, last in answering):
            joined = new and new[-1][1] + 1 == begin
            new = [*new[:-1], (new[-1][0], len(text))] if joined else [*new, (begin, len(text))]
    return text, new


def queries_after(question: str, known: Sequence[Finding], rest: Sequence[Finding]) -> Iterator[QueryLesson]:
    """The next query after the last known paragraph: its new names, and what the question asks beyond it."""
    if known and rest:
        text = known[-1].text
        found = " ".join(text[start:end] for start, end in words_in(text, known[-1].spans()))
        if found:
            yield query_after(question, found, occurrences(found, known[-1].useful), known, rest)


def query_after(
    asked: str, found: str, new: Iterable[Span], known: Sequence[Finding], rest: Sequence[Finding]
) -> QueryLesson:
    """The words to pick of a question or query and of what was found: what is new, and what asks for the `rest`."""
    unasked = tuple(span for span in new if found[slice(*span)].lower() not in asked.lower())
    return QueryLesson(Pair(asked, found), tuple(_still_asked(asked, known, rest)), unasked)


def _still_asked(question: str, known: Sequence[Finding], rest: Sequence[Finding]) -> Iterator[Span]:
    """The words of the question that ask for what is missing, and those that carry no meaning.

    Where the next hop comes with a question of its own, its words decide. Where it does not, the paragraphs' words do,
    and every word that no known paragraph holds is still asked.
    """
    spent, ahead = _words_of(known), _words_of(rest)
    kept = ahead if rest[0].sub_question else (ahead | set(content_words(question))) - spent
    for match in _PLAIN_WORD.finditer(question):
        if not content_words(match[0]) or stem(match[0]) in kept:
            yield match.span()


def _words_of(findings: Iterable[Finding]) -> set[str]:
    """The words of the hops' questions, or of their paragraphs where they have none."""
    return {word for finding in findings for word in content_words(finding.sub_question or finding.text)}


def words_in(text: str, marks: Iterable[Span]) -> list[Span]:
    """The places of the words of a text that a mark touches."""
    spans = list(marks)
    return [word for word in word_spans(text) if any(word[0] < end and start < word[1] for start, end in spans)]


def word_spans(text: str) -> list[Span]:
    """The places of the words of a text."""
    return [match.span() for match in _WORD.finditer(text)]


NEGATIVES = 5
"""Passages of a lesson that do not help."""


def judge_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """Lessons with nothing known, with each beginning of a way, with its other paragraphs alone, with a wrong one."""
    dice = random.Random(seed)
    for way in ways:
        negatives = _negatives(way, retriever)
        if len(way.findings) > 1 and negatives:
            yield from _of_way(way, negatives, dice)


def _negatives(way: Way, retriever: Retriever) -> list[str]:
    """Paragraphs that mislead: the question's own, and what a search finds, but no gold."""
    asked = way.question.question
    words = [asked, *(f"{asked} {' '.join(finding.useful)}" for finding in way.findings)]
    hits = [str(hit.passage) for ranking in retriever.search(words, 8) for hit in ranking]
    gold = {finding.text for finding in way.findings}
    return [text for text in dict.fromkeys([*map(str, way.question.passages), *hits]) if text not in gold]


def _of_way(way: Way, negatives: Sequence[str], dice: random.Random) -> Iterator[Lesson]:
    question, findings = way.question, way.findings
    beginnings = [tuple(findings[:length]) for length in range(len(findings))]
    for known in dict.fromkeys([*beginnings, *((finding,) for finding in findings[1:])]):
        shown = tuple(condense(finding.text, finding.spans()) for finding in known)
        rest = [finding for finding in findings if finding not in known]
        right = [
            _labelled(question.question, finding, shown, question.answers if len(rest) == 1 else ()) for finding in rest
        ]
        wrong = [LabelledPassage(Pair(question.question, text, shown), False) for text in _some(negatives, dice)]
        yield Lesson((*right, *wrong), tuple(queries_after(question.question, known, rest)))
    shown = (condense(dice.choice(negatives), ()),)
    right = [_labelled(question.question, finding, shown, ()) for finding in findings]
    wrong = [LabelledPassage(Pair(question.question, text, shown), False) for text in _some(negatives, dice)]
    yield Lesson((*right, *wrong[:4]))


def _some(negatives: Sequence[str], dice: random.Random) -> list[str]:
    """Half of them from the front, where the likeliest are, the others from anywhere."""
    front, back = list(negatives[: NEGATIVES + 2]), list(negatives[NEGATIVES + 2 :])
    dice.shuffle(front)
    dice.shuffle(back)
    half = NEGATIVES - min(NEGATIVES // 2, len(back))
    return [*front[:half], *back[: NEGATIVES - half]]


def _labelled(question: str, finding: Finding, known: tuple[str, ...], answers: Sequence[str]) -> LabelledPassage:
    """A gold paragraph; nothing is missing after it where answers are given."""
    answer, enough = _answer(finding, answers) if answers else None, bool(answers)
    pair = Pair(question, finding.text, known)
    return LabelledPassage(pair, True, not enough, enough, tuple(finding.spans()), answer)


def _answer(finding: Finding, answers: Sequence[str]) -> AnswerLabel:
    if answers[0].lower() in ("yes", "no"):
        return "yes" if answers[0].lower() == "yes" else "no"
    spans = occurrences(finding.text, answers)
    return next(iter([*filter(finding.supports, spans), *spans]), None)
