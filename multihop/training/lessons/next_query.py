"""The useful part of a gold paragraph, and the next query that follows from it: words picked, none added."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...base.english import Span, content_words, stem
from ...data import Question
from ...data.gold.whole_words import occurrences
from ...encoder import Pair
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
    rest = [found for found in path if found not in known]
    if known and rest and (finding := marked_words(known[-1].passage, useful(known[-1]))):
        new = occurrences(finding, known[-1].useful)
        yield query_after(question.question, finding, new, known, rest, teacher)


def query_after(
    asked: str,
    finding: str,
    new: Iterable[Span],
    known: Sequence[Finding],
    rest: Sequence[Finding],
    teacher: Teacher | None = None,
) -> QueryLesson:
    """The words to pick of a question or query and of what was found: what is new, and what asks for the rest.

    Args:
        asked: The question, or the last query.
        finding: The marked words of the last known paragraph.
        new: The places in the finding of what may be new; what is in the question already is not.
        known: The paragraphs that are known, the last one last.
        rest: Those that are missing, the next one first.
        teacher: An LM that picks; where it cannot be understood, and without one, the words follow from gold.
    """
    if teacher is not None:
        kept, found = teacher.query(asked, finding)
        if kept and found:
            return QueryLesson(Pair(asked, finding), tuple(kept), tuple(found))
    unasked = tuple(span for span in new if finding[slice(*span)].lower() not in asked.lower())
    return QueryLesson(Pair(asked, finding), tuple(_still_asked(asked, known, rest)), unasked)


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
    return " ".join(text[start:end] for start, end in words_in(text, marks))


def words_in(text: str, marks: Iterable[Span]) -> list[Span]:
    """The places of the words of a text that a mark touches."""
    spans = list(marks)
    return [word for word in word_spans(text) if any(word[0] < end and start < word[1] for start, end in spans)]


def word_spans(text: str) -> list[Span]:
    """The places of the words of a text.

    Examples:
        >>> from multihop.training.lessons.next_query import word_spans
        >>> word_spans("Emma, by J.R. O'Neill.")
        [(0, 4), (6, 8), (9, 12), (14, 21)]
    """
    return [match.span() for match in re.finditer(r"\w[\w'’.-]*\w|\w", text)]
