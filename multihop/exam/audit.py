"""Removes questions that are not sound: each for a reason."""

from __future__ import annotations

from collections import Counter

from ..data.gold.whole_words import occurrences
from ..encoder import Encoder, Pages
from .drafts import BRIDGE, COMPARISON, MEMBER, UNANSWERABLE, Draft
from .names import PagesByName

GIVEN_AWAY = "the answer is in the question"
AMBIGUOUS = "several pages fit what it names"
ONE_PAGE = "one page alone answers it"
NO_PAGE = "its pages do not hold the answer"
ANSWERED = "a page answers what none should"
TWICE = "asked before in other words"
REASONS = (GIVEN_AWAY, AMBIGUOUS, ONE_PAGE, NO_PAGE, ANSWERED, TWICE)
"""The reasons to remove a question."""
READ_ALONE = 0.95
"""From this probability on the encoder has found all that the answer takes on the last page."""
READ_TOGETHER = 0.5
"""Below this probability it has not found that on all of its pages."""
READ_THERE = 0.9
"""From this probability on the encoder has found an answer where there should be none."""


class Audit:
    """Removes drafts that are not sound, and counts them by reason."""

    def __init__(self, pages: PagesByName, encoder: Encoder | None = None) -> None:
        """An audit over a corpus; without an encoder nothing is read, and words alone decide."""
        self.pages, self.encoder = pages, encoder
        self.removed: Counter[str] = Counter()
        self._asked: set[str] = set()

    def passed(self, draft: Draft) -> bool:
        """True if nothing speaks against a draft; the reason is counted otherwise."""
        reason = self.reason(draft)
        if reason:
            self.removed[reason] += 1
            return False
        self._asked.add(_asked(draft))
        return True

    def reason(self, draft: Draft) -> str:
        """The first of `REASONS` that speaks against a draft; empty where none does."""
        if _asked(draft) in self._asked:
            return TWICE
        if draft.kind in (BRIDGE, MEMBER) and any(_holds(draft.question, each) for each in draft.answers):
            return GIVEN_AWAY
        if any(self.pages.is_named_alike(subject) for subject in draft.named):
            return AMBIGUOUS
        if draft.answers and draft.kind in (BRIDGE, MEMBER) and not _told(draft):
            return NO_PAGE
        if self._one_page_names_all(draft):
            return ONE_PAGE
        return self._reason_of_reading(draft) if self.encoder else ""

    def _one_page_names_all(self, draft: Draft) -> bool:
        """True if a page holds, in words, both what the question names and its answer."""
        if draft.kind == UNANSWERABLE:
            return False
        gold = [step.subject.page for step in draft.steps]
        if draft.kind in (BRIDGE, MEMBER):
            named, last = draft.named[0], draft.steps[-1]
            told = last.answer if draft.kind == BRIDGE else _words_told(draft)
            holding = self.pages.holding(named.name)
            return any(page == gold[-1] or _holds(str(page), told) for page in holding)
        return any(_holds(str(page), other.name) for page in gold for other in draft.named if other.page != page)

    def _reason_of_reading(self, draft: Draft) -> str:
        """The reason that the encoder's reading gives: of the last page alone, and of all pages together."""
        assert self.encoder
        last = draft.steps[-1]
        if draft.kind == UNANSWERABLE:
            (reading,) = self.encoder.read([Pages(last.question, (str(last.subject.page),))])
            return ANSWERED if reading.holds >= READ_THERE else ""
        if draft.kind in (BRIDGE, MEMBER):
            gold = tuple(dict.fromkeys(str(step.subject.page) for step in draft.steps))
            alone, together = self.encoder.read([Pages(draft.question, pages) for pages in (gold[-1:], gold)])
            if alone.complete >= READ_ALONE:
                return ONE_PAGE
            return NO_PAGE if together.complete < READ_TOGETHER else ""
        return ""


def _asked(draft: Draft) -> str:
    """The same for questions that ask the same of the same pages."""
    last = draft.steps[-1]
    pages = sorted({step.subject.page.id for step in draft.steps})
    return f"{pages} {last.relation if draft.kind != COMPARISON else ''}"


def _words_told(draft: Draft) -> str:
    """The value by which a question tells one of several."""
    return draft.steps[-1].question.rpartition(" in " if " born in " in draft.question else " on ")[2].rstrip("?")


def _told(draft: Draft) -> bool:
    """True if the last page tells the answer."""
    page = str(draft.steps[-1].subject.page)
    return any(_holds(page, each) for each in (draft.steps[-1].answer, *draft.answers))


def _holds(text: str, words: str) -> bool:
    return bool(occurrences(text, [words]))
