"""The pages of a corpus by their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ..data.gold.page_names import shared_name
from ..data.gold.whole_words import unaccented
from ..retrieval import Passage
from .facts import Fact
from .subjects import WORKS, Subject


class PagesByName:
    """The pages of a corpus by their names: what a fact's value is the name of, and which pages hold a name.

    Examples:
        >>> from multihop.exam.facts import read_facts
        >>> from multihop.exam.names import PagesByName
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.retrieval import Passage
        >>> film = Passage("1", "Emma", "Emma is a 1996 film directed by Douglas McGrath.")
        >>> man = Passage("2", "Douglas McGrath", "Douglas McGrath is an American film director.")
        >>> subjects = [read_subject(film), read_subject(man)]
        >>> pages = PagesByName([film, man], subjects)
        >>> pages.leads_to(read_facts(subjects[0])[0]).name
        'Douglas McGrath'
        >>> sorted(page.id for page in pages.holding("Douglas McGrath"))
        ['1', '2']
    """

    def __init__(self, pages: Iterable[Passage], subjects: Iterable[Subject]) -> None:
        """The pages, and the subjects of those that have one."""
        self._subjects: dict[str, list[Subject]] = defaultdict(list)
        self._titles: dict[str, set[str]] = defaultdict(set)
        for subject in subjects:
            self._subjects[_key(subject.name)].append(subject)
            self._titles[_key(subject.name)].add(subject.page.title)
        self._words: dict[str, list[Passage]] = {word: [] for names in self._subjects for word in names.split()}
        for page in pages:
            self._titles[_key(page.name)].add(page.title)
            for word in self._words.keys() & _words(f"{page.title} {page.text}"):
                self._words[word].append(page)

    def leads_to(self, fact: Fact) -> Subject | None:
        """The subject that a fact's value names: the only one of a fitting kind; None where none or several are."""
        fitting = [subject for subject in self._subjects.get(_key(fact.value), ()) if _fits(subject, fact)]
        return fitting[0] if len(fitting) == 1 and fitting[0].page.id != fact.subject.page.id else None

    def is_only_one(self, subject: Subject) -> bool:
        """True if no other page has the subject's name."""
        return len(self._titles[_key(subject.name)]) <= 1

    def is_named_alike(self, subject: Subject) -> bool:
        """True if another page of its kind has the subject's name."""
        return sum(other.kind == subject.kind for other in self._subjects[_key(subject.name)]) > 1

    def holding(self, name: str) -> list[Passage]:
        """The pages that hold the name of a subject, as whole words and in any case."""
        words = _words(name)
        rarest = min((self._words[word] for word in words if word in self._words), key=len, default=[])
        pattern = re.compile(r"\W+".join(map(re.escape, words)))
        return [page for page in rarest if pattern.search(" ".join(_words(f"{page.title} {page.text}")))]


def _fits(subject: Subject, fact: Fact) -> bool:
    relation = fact.relation
    if subject.kind not in relation.leads_to:
        return False
    text = subject.page.text
    if (
        subject.kind in WORKS
    ):  # of one title there are many: both pages must name something else in common, as its maker
        return bool(shared_name(fact.subject.page.text, text, fact.value))
    return not relation.fits or bool(re.search(relation.fits, text.lower())) or fact.subject.name in text


def _key(name: str) -> str:
    return " ".join(_words(name)).removeprefix("the ")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unaccented(text).lower())
