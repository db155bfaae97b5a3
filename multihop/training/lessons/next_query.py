"""The useful part of a gold paragraph, and the next query that follows from it: words picked, none added."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data import Question
from ...data.gold.whole_words import occurrences
from ...encoder import Pair
from ...english.sentences import Span
from ...english.word_stems import content_words, stem
from .findings import Finding
from .teacher import Teacher

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class QueryLesson:
    """A question with what was found, and the words of both that together ask for what is missing."""

    pair: Pair
    """Its passage is what was found."""
    asked: tuple[Span, ...]
    """The words of the question that stay."""
    found: tuple[Span, ...]
    """The words of the finding that stay."""


def supported(span: Span, found: Finding) -> bool:
    """True if the span is in a supporting sentence, or in any where the set names none."""
    starts = [(found.passage.find(sentence), len(sentence)) for sentence in found.sentences]
    return not starts or any(start <= span[0] < start + size for start, size in starts if start >= 0)


def useful(found: Finding) -> list[Span]:
    """The spans of the useful words, in the supporting sentences if they are there."""
    spans = occurrences(found.passage, found.useful)
    return [span for span in spans if supported(span, found)] or spans


def queries_after(
    question: Question, known: Sequence[Finding], path: Sequence[Finding], teacher: Teacher | None = None
) -> Iterator[QueryLesson]:
    """The next query after the last known paragraph: its new names, and what the question asks beyond it."""
    if not known:
        return
    last, rest = known[-1], [found for found in path if found not in known]
    finding = marked_words(last.passage, useful(last))
    if not finding or not rest:
        return
    if teacher is not None:
        asked, new = teacher.query(question.question, finding)
        if asked and new:
            yield QueryLesson(Pair(question.question, finding), tuple(asked), tuple(new))
            return
    new = [
        span
        for span in occurrences(finding, last.useful)
        if finding[slice(*span)].lower() not in question.question.lower()
    ]
    yield QueryLesson(Pair(question.question, finding), tuple(_still_asked(question.question, known, rest)), tuple(new))


def _still_asked(question: str, known: Sequence[Finding], rest: Sequence[Finding]) -> Iterator[Span]:
    """The words of the question that ask for what is missing, and those that carry no meaning.

    Where the next hop comes with a question of its own, its words decide. Where it does not, the paragraphs' words do,
    and every word that no known paragraph holds is still asked.
    """
    spent, ahead = _words_of(known), _words_of(rest)
    own_question = bool(rest[0].sub_question)
    kept = ahead if own_question else (ahead | set(content_words(question))) - spent
    for match in _WORD.finditer(question):
        if not content_words(match[0]) or stem(match[0]) in kept:
            yield match.start(), match.end()


def _words_of(hops: Iterable[Finding]) -> set[str]:
    """The words of the hops' questions, or of their paragraphs where they have none."""
    return {word for found in hops for word in content_words(found.sub_question or found.passage)}


def marked_words(text: str, marks: Iterable[Span]) -> str:
    """The marked words of a text, in order: what the filter is told of it.

    Examples:
        >>> from multihop.training.lessons.next_query import marked_words
        >>> marked_words("Emma is by Jane Austen.", [(0, 4), (11, 22)])
        'Emma Jane Austen'
    """
    spans = list(marks)
    words = [
        match[0]
        for match in re.finditer(r"\w[\w'’.-]*\w|\w", text)
        if any(match.start() < end and start < match.end() for start, end in spans)
    ]
    return " ".join(words)
