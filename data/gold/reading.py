"""Gold read once, for all who learn from it: every set's questions as hops in the order in which they are found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...base.country_names import country_words
from ...retrieval import Passage
from ..question import Question
from .given_hops import read_hop
from .gold_passages import PassageLookup
from .page_comparison import compare_pages, compares
from .page_links import link_pages
from .path import GoldHop, GoldPath
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
        return _path_of_pages(question, [candidates[0] for candidates in pages])
    steps = [read_hop(question, place, lookup) for place in range(len(question.decomposition))]
    if reason := next((each for each in steps if isinstance(each, str)), None):
        return reason
    return _given_path(question, [each for each in steps if isinstance(each, GoldHop)])


def _path_of_pages(question: Question, pages: Sequence[Passage]) -> GoldPath | str:
    side_by_side = compares(question, pages)
    hops = compare_pages(question, pages) if side_by_side else link_pages(question, pages)
    return hops if isinstance(hops, str) else GoldPath(question, tuple(hops), side_by_side)


def _given_path(question: Question, hops: Sequence[GoldHop]) -> GoldPath | str:
    """The path of hops that a set tells, if its answer follows from them."""
    reached = {hop.passage.id for hop in hops} | {hop.passage.title for hop in hops}
    if beside := [name for name in question.supporting if name not in reached]:
        return f"its supporting paragraph '{beside[0]}' belongs to none of its hops"
    needed = {place for hop in hops for place in hop.needs}
    ends = [
        (hop.answer, step.answer)
        for place, (hop, step) in enumerate(zip(hops, question.decomposition, strict=True))
        if place not in needed
    ]
    ends_there = any(_alike(end, answer) for pair in ends for end in pair for answer in question.answers)
    by_kind = "comparison" in question.type or question.answer.lower() in ("yes", "no")
    named = [text for hop in hops for text in (hop.sub_question, hop.passage.name, hop.answer)]
    if not (ends_there or by_kind or any(_alike(text, answer) for text in named for answer in question.answers)):
        return f"its answer, '{question.answer}', does not follow from its hops"
    return GoldPath(question, tuple(hops), by_kind or not ends_there)


def _alike(one: str, other: str) -> bool:
    """True if one of the two texts is in the other, or both name the same nation."""
    return bool(as_written(one, other) or as_written(other, one) or country_words(one, other))
