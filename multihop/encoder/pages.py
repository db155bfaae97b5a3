"""Several pages that are read together: one input of the reader, and its reading of them."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from .judgement import Judgement
from .layout import Pair

READING_WINDOW = 512
"""Tokens the reader sees at once."""
TOGETHER = 300
"""Words of the pages that are read together."""
BETWEEN = " [SEP] "
"""The text between two pages; a tokenizer that knows it has a token for it."""


class Pages(NamedTuple):
    """Pages that may answer a question together."""

    question: str
    pages: tuple[str, ...]

    def pair(self) -> Pair:
        """The pages as the one passage that the reader sees.

        Examples:
            >>> from multihop.encoder import Pages
            >>> Pages("Where?", ("Emma | By Jane Austen.", "Bath | A city.")).pair().passage
            'Emma | By Jane Austen. [SEP] Bath | A city.'
        """
        return Pair(self.question, as_one(self.pages))


class PageAnswer(NamedTuple):
    """A stretch of one of the pages that may be the answer."""

    page: int
    start: int
    end: int
    score: float
    """The logarithm of the probability that it begins and ends there, given that the pages hold the answer."""


class PagesReading(NamedTuple):
    """The reader's reading of pages."""

    complete: float
    """The probability that they hold all that the answer takes."""
    holds: float
    """The probability that they answer in their own words."""
    yes: float
    no: float
    answers: tuple[PageAnswer, ...]
    """The likeliest answers, best first."""
    helpful: tuple[float, ...] = ()
    """For each page, the probability that it is part of the way to the answer, beside the others: its words' mean."""


def as_one(pages: Sequence[str]) -> str:
    """Pages as one text."""
    return BETWEEN.join(pages)


def read_together(pages: Sequence[str], words: int = TOGETHER) -> list[tuple[str, ...]]:
    """Pages in groups of limited length; the first page, which is the likeliest, stands in each.

    Examples:
        >>> from multihop.encoder import read_together
        >>> read_together(["a b", "c d", "e f", "g"], words=5)
        [('a b', 'c d'), ('a b', 'e f', 'g')]
    """
    groups: list[list[str]] = [[]]
    for page in pages:
        size = sum(len(each.split()) for each in groups[-1])
        if groups[-1][1:] and size + len(page.split()) > words:
            groups.append([pages[0]])
        groups[-1].append(page)
    return [tuple(group) for group in groups if group]


def reading(pages: Sequence[str], judgement: Judgement) -> PagesReading:
    """A judgement of pages as one text, by page; an answer that reaches over the end of a page is left out."""
    starts = [0, *accumulate(len(page) + len(BETWEEN) for page in pages)]
    answers = []
    for answer in judgement.answers:
        page = bisect_right(starts, answer.start) - 1
        start, end = answer.start - starts[page], answer.end - starts[page]
        if end <= len(pages[page]):
            answers.append(PageAnswer(page, start, end, answer.score))
    of_words: list[list[float]] = [[] for _ in pages]
    for (start, _), helps in judgement.words:
        page = bisect_right(starts, start) - 1
        if start < starts[page] + len(pages[page]):  # what stands between two pages is of neither
            of_words[page].append(helps)
    helpful = tuple(fmean(words) if words else 0.0 for words in of_words)
    return PagesReading(judgement.enough, judgement.holds, judgement.yes, judgement.no, tuple(answers), helpful)
