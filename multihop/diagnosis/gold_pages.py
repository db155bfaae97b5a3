"""The gold of the questions in the corpus itself: whether it is there, and whether its pages name each other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from ..data import Question
from ..evaluation.matching import Match, match_passages, normal
from ..retrieval import Passage
from .named_pages import NamedPages, name_of
from .record import GoldInCorpus


class GoldPages(NamedTuple):
    """The gold passages of one question that the corpus holds."""

    match: Match
    """The way in which they were recognised."""
    pages: dict[str, Passage]
    """Each as the corpus has it, by the name that the question gives it."""


def find_gold(questions: Sequence[Question], passages: Iterable[Passage]) -> list[GoldPages]:
    """The gold of each question, recognised as `evaluate` does; the passages are gone through once."""
    ids = {name for each in questions for name in _ids(each)}
    texts = {text for each in questions for text in _texts(each)}
    titles = {title for each in questions for title in _titles(each)}
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    kept: list[Passage] = []
    for passage in passages:
        keys = [("id", passage.id)] if passage.id in ids else []
        if texts and (text := normal(passage.text)) in texts:
            keys.append(("text", text))
        if (title := normal(passage.title)) in titles:
            keys.append(("title", title))
        for key in keys:
            places[key].append(len(kept))
        if keys:
            kept.append(passage)
    return [_pages_of(each, places, kept) for each in questions]


def describe_gold(gold: Sequence[GoldPages]) -> GoldInCorpus:
    """Count the gold that the corpus holds, and the pairs of its pages that are linked by title."""
    pairs = [_linked_pairs(list(each.pages.values())) for each in gold]
    return GoldInCorpus(
        pages=sum(each.match.gold for each in gold),
        found=sum(len(each.pages) for each in gold),
        matched_by=dict(sorted(Counter(each.match.by for each in gold).items())),
        pairs=sum(map(len, pairs)),
        linked_pairs=sum(map(sum, pairs)),
        questions_with_pairs=sum(map(bool, pairs)),
        linked_questions=sum(map(any, pairs)),
    )


def _pages_of(
    question: Question, places: defaultdict[tuple[str, str], list[int]], kept: Sequence[Passage]
) -> GoldPages:
    keys = [
        *(("id", name) for name in _ids(question)),
        *(("text", text) for text in _texts(question)),
        *(("title", title) for title in _titles(question)),
    ]
    candidates = [kept[place] for place in sorted({place for key in keys for place in places.get(key, ())})]
    match = match_passages(question, candidates)
    return GoldPages(match, {name: candidates[rank] for name, rank in match.ranks.items()})


def _ids(question: Question) -> set[str]:
    return {*question.supporting, *question.context_ids, *(page.id for page in question.passages)}


def _texts(question: Question) -> set[str]:
    return {normal(page.text) for page in question.passages} - {""}


def _titles(question: Question) -> set[str]:
    own = {page.id: page.title for page in question.passages}
    return {normal(title) for title in (*question.supporting, *own.values())} - {""}


def _linked_pairs(pages: Sequence[Passage]) -> list[bool]:
    """For each pair of the pages, whether one names the other."""
    names = NamedPages(pages)
    named = [set(names.names_in(page.text, besides=name_of(page))) for page in pages]
    return [
        name_of(pages[other]) in named[one] or name_of(pages[one]) in named[other]
        for one, other in combinations(range(len(pages)), 2)
    ]
