"""Gold read once, for all who learn from it: hops where a set tells them, and supporting passages where it tells these.

MuSiQue and the little encyclopedia tell sub-questions with their answers, 2WikiMultiHopQA triples. HotpotQA tells
supporting sentences alone: no order and no sub-question is made up for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...retrieval import Passage
from ..question import Question
from .gold_passages import PassageLookup, supporting_sentences
from .hops import GoldHop, GoldPath, read_hop
from .whole_words import as_written

NO_SUPPORTING = "it names no supporting paragraph"
"""The reason given for a question that has an answer and no other gold."""


class Unread(NamedTuple):
    """A question whose gold cannot be read."""

    id: str
    """The question's id."""
    reason: str
    """The reason, as the end of a sentence."""


class GoldReading(NamedTuple):
    """The gold of many questions."""

    paths: list[GoldPath]
    """One for each question that could be read, in the order of the questions."""
    unread: list[Unread]
    """The others."""

    def __str__(self) -> str:
        """One line: the number of questions that could not be read, and the reasons for the first three."""
        total = len(self.paths) + len(self.unread)
        if not self.unread:
            return f"the gold of all {total:,} questions can be read"
        first = "; ".join(f"{each.id}: {each.reason}" for each in self.unread[:3])
        more = "; ..." if len(self.unread) > 3 else ""
        return f"the gold of {len(self.unread):,} of {total:,} questions cannot be read ({first}{more})"


def read_gold(questions: Iterable[Question], passages: Mapping[str, Passage] | Iterable[Passage]) -> GoldReading:
    """The questions as hops, and those whose gold cannot be read, each with its reason.

    Args:
        questions: With answers and supporting paragraphs, and what the set knows about the hops.
        passages: The source of the paragraphs that the questions do not bring.

    Examples:
        >>> from multihop import Little
        >>> from multihop.data.gold import read_gold
        >>> reading = read_gold(Little().questions(), Little().passages())
        >>> len(reading.paths), reading.unread, str(reading.paths[0].hops[0])
        (40, [], 'Who discovered penicillin? -> Alexander Fleming')
    """
    lookup = PassageLookup(passages)
    paths: list[GoldPath] = []
    unread: list[Unread] = []
    for question in questions:
        path = _read(question, lookup)
        if isinstance(path, GoldPath):
            paths.append(path)
        else:
            unread.append(Unread(question.id, path))
    return GoldReading(paths, unread)


def _read(question: Question, lookup: PassageLookup) -> GoldPath | str:
    """The path of one question, or why there is none."""
    if not question.answers:
        return "it has no accepted answer"
    if not question.supporting and not question.decomposition:
        return NO_SUPPORTING
    pages = [lookup.find(question, name) for name in question.supporting]
    if missing := [name for name, candidates in zip(question.supporting, pages, strict=True) if not candidates]:
        return f"its supporting paragraph '{missing[0]}' is not in the corpus"
    if not question.decomposition:
        return _supported(question, [candidates[0] for candidates in pages])
    hops: list[GoldHop] = []
    for place in range(len(question.decomposition)):
        hop = read_hop(question, place, lookup)
        if isinstance(hop, str):
            return hop
        hops.append(hop)
    reached = {name for hop in hops for name in (hop.passage.id, hop.passage.title)}
    if beside := [name for name in question.supporting if name not in reached]:
        return f"its supporting paragraph '{beside[0]}' belongs to none of its hops"
    return GoldPath(question, tuple(hops), _compares(question))


def _supported(question: Question, pages: Sequence[Passage]) -> GoldPath | str:
    """The supporting passages in the order of the set, each with what supports in it."""
    compares = _compares(question)
    if not compares and not any(as_written(str(page), answer) for page in pages for answer in question.answers):
        return f"its answer, '{question.answer}', is nowhere in its paragraphs"
    quotes = [" ".join(supporting_sentences(question, page)) or page.text for page in pages]
    hops = (GoldHop("", "", page, quote) for page, quote in zip(pages, quotes, strict=True))
    return GoldPath(question, tuple(hops), compares)


def _compares(question: Question) -> bool:
    return "comparison" in question.type or question.answer.lower() in ("yes", "no")
