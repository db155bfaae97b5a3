"""Gold as the encoder learns from it: paragraph by paragraph, with what in each brings the answer closer.

The hops are those that a set tells, MuSiQue's sub-questions and 2WikiMultiHopQA's triples. Where a set names gold
paragraphs alone, as HotpotQA does, a paragraph follows the one that names it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..base.english import Span
from ..data import Question
from ..data.gold import GoldPath, PassageLookup, read_gold, supporting_sentences
from ..data.names_in_text import as_written, occurrences
from ..encoder.layout import Pair
from ..retrieval import Passage


class Finding(NamedTuple):
    """One gold paragraph, and what it contributes."""

    passage: Passage
    useful: tuple[str, ...]
    """The words in it that answer its part of the question: a name that leads on, or the answer."""
    sub_question: str = ""
    """The single question it answers, where the set tells."""
    sentences: tuple[str, ...] = ()
    """The supporting sentences, where the set tells them, or those that hold the answers of the hops."""
    needs: frozenset[int] = frozenset()
    """The places of the paragraphs that must be found before."""

    @property
    def text(self) -> str:
        """The paragraph as a prompt shows it, "title | text"."""
        return str(self.passage)

    def supports(self, span: Span) -> bool:
        """True if the span is in a supporting sentence, or in any where none is known."""
        starts = [(self.text.find(sentence), len(sentence)) for sentence in self.sentences]
        return not starts or any(0 <= start <= span[0] < start + size for start, size in starts)

    def spans(self) -> list[Span]:
        """The places of the useful words, in the supporting sentences if they are there."""
        spans = occurrences(self.text, self.useful)
        return [span for span in spans if self.supports(span)] or spans


class Way(NamedTuple):
    """A question with its gold paragraphs, in the order in which they are found."""

    question: Question
    findings: list[Finding]


def read_ways(questions: Iterable[Question], pool: Iterable[Passage]) -> list[Way]:
    """The ways of the questions whose gold paragraphs are all there, those of the pool among them."""
    asked, pages = list(questions), list(pool)
    told = {id(path.question): path for path in read_gold([each for each in asked if each.decomposition], pages).paths}
    lookup = PassageLookup(pages)
    ways = [
        _of_path(told[id(question)]) if id(question) in told else _of_pages(question, lookup)
        for question in asked
        if id(question) in told or not question.decomposition
    ]
    return [Way(question, findings) for question, findings in ways if findings]


def _of_path(path: GoldPath) -> tuple[Question, list[Finding]]:
    places = {page.id: place for place, page in enumerate(path.passages)}
    findings = []
    for place, page in enumerate(path.passages):
        hops = [hop for hop in path.hops if hop.passage.id == page.id]
        needs = {places[path.hops[need].passage.id] for hop in hops for need in hop.needs} - {place}
        useful = [hop.answer for hop in hops] + _links(path.question, page, path.passages)
        sentences = supporting_sentences(path.question, page) or [hop.sentence for hop in hops]
        findings.append(_finding(path.question, page, useful, hops[0].sub_question, sentences, needs))
    return path.question, findings


def _of_pages(question: Question, lookup: PassageLookup) -> tuple[Question, list[Finding]]:
    """Gold paragraphs without sub-questions; none where one is missing or there is no answer."""
    pages = [page for name in question.supporting for page in lookup.find(question, name)[:1]]
    if not question.answers or len(pages) < len(question.supporting):
        return question, []
    pages = list(dict.fromkeys(pages))
    named = [
        {other for other, page in enumerate(pages) if page.name in _links(question, each, pages)} for each in pages
    ]
    findings = []
    for place, page in enumerate(pages):
        needs = {other for other in range(len(pages)) if place in named[other]}
        needs = {other for other in needs if other < place or other not in named[place]}  # two that name each other
        sentences = supporting_sentences(question, page)
        findings.append(_finding(question, page, _links(question, page, pages), "", sentences, needs))
    return question, findings


def _links(question: Question, page: Passage, pages: Sequence[Passage]) -> list[str]:
    """The names of other pages that a page holds and the question does not."""
    whole = question.question.lower()
    names = [each.name for each in pages if each != page and each.name.lower() not in whole]
    return [name for name in names if occurrences(page.text, [name])]


def _finding(
    question: Question,
    page: Passage,
    useful: Sequence[str],
    sub_question: str,
    sentences: Sequence[str],
    needs: Iterable[int],
) -> Finding:
    held = (as_written(page.text, each) for each in (*useful, *question.answers))
    return Finding(page, tuple(dict.fromkeys(filter(None, held))), sub_question, tuple(sentences), frozenset(needs))


def gold_pages(question: Question) -> list[Passage]:
    """The question's own paragraphs that answer it."""
    return [page for page in question.passages if question.answerable and page.id in question.supporting]


def is_of_one_page(question: Question) -> bool:
    """True if one of the question's own paragraphs answers it, or none does, which is a lesson too."""
    alone = bool(question.passages) and len(question.supporting) < 2 and not question.decomposition
    return alone and (not question.answerable or bool(gold_pages(question)))


def as_way(question: Question) -> Way:
    """A question of one page."""
    return Way(question, [_finding(question, page, (), "", (), ()) for page in gold_pages(question)])


def told_hops(questions: Iterable[Question], ways: Sequence[Way], pool: Iterable[Passage]) -> list[Question]:
    """Each hop told as a question, with its paragraph; of a question without a way, those whose paragraph is there."""
    read, lookup = {id(way.question) for way in ways}, PassageLookup(pool)
    hops = [
        (finding.sub_question, finding.useful[0], finding.passage)
        for way in ways
        for finding in way.findings
        if finding.sub_question and finding.useful
    ]
    for question in questions:
        for hop in question.decomposition if id(question) not in read else ():
            subject, relation, _ = hop.triple or (hop.passage, "", "")
            asked = hop.question.replace(" >> ", " ") or f"{subject} {relation}"
            hops += [(asked, hop.answer, page) for page in lookup.find(question, hop.passage or subject)[:1]]
    return [
        Question(id=f"hop {place}", question=asked, answers=(answer,), supporting=(page.id,), passages=(page,))
        for place, (asked, answer, page) in enumerate(hops)
        if page.name != answer and occurrences(page.text, [answer])  # else another page says so
    ]


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
class QueryLesson:
    """A question with what was found, and the words of both that together ask for what is missing."""

    pair: Pair
    """The last query, and as its passage what was found."""
    asked: tuple[Span, ...]
    """The words of the query that stay."""
    found: tuple[Span, ...]
    """The words of the finding that stay."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Passages that compete under one question and the same known ones, and the queries that follow."""

    candidates: tuple[LabelledPassage, ...]
    queries: tuple[QueryLesson, ...] = ()
