"""Questions for one of several: the star of a film who was born on a day, in words of two pages."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from .chains import Facts
from .drafts import MEMBER, Draft, Step
from .facts import Fact, is_about, is_of_another
from .names import PagesByName
from .relations import NAME, Relation
from .subjects import Subject, blank_brackets
from .wording import mention

_NEXT = re.compile(rf"(?P<v>{NAME})(?P<rest>, and |, | and | & )?")


class Several(NamedTuple):
    """A relation that has several values."""

    name: str
    kinds: frozenset[str]
    opening: re.Pattern[str]
    """The words before the first of them."""
    one: str
    """The word for one of them."""
    fits: str
    """Words of which the page of one must hold one."""


_ACTS = "act|film|televis|comed|sing|perform|model|theat"
SEVERAL = (
    Several("cast", frozenset({"film", "show", "play"}),
            re.compile(r"\b(?:starring|stars|starred)(?: [a-z]+)? (?=[A-Z])"), "star", _ACTS),
    Several("writers", frozenset({"film", "show", "book", "song", "play"}),
            re.compile(r"\bwritten(?: \w+)? by (?=[A-Z])"), "writer", "writ|author|music|song|direct|produc|novel"),
    Several("directors", frozenset({"film"}), re.compile(r"\bdirected by (?=[A-Z])"), "director", "direct|film"),
    Several("producers", frozenset({"film", "album", "song"}), re.compile(r"\bproduced by (?=[A-Z])"), "producer",
            "produc|music|film"),
    Several("founders", frozenset({"company", "band", "organization", "team"}),
            re.compile(r"\b(?:founded|formed|established)(?: in \d{4})? by (?=[A-Z])"), "founder", "."),
    Several("creators", frozenset({"show", "game", "character"}), re.compile(r"\bcreated by (?=[A-Z])"), "creator",
            "."),
    Several("members", frozenset({"band"}),
            re.compile(r"\b(?:members(?: (?:are|were|include|included))?|consist(?:s|ed|ing) of|composed of|"
                       r"line-?up (?:is|was|of)|comprising) (?=[A-Z])"), "member", "music|sing|band|rap|guitar|drum"),
)  # fmt: skip
"""The relations with several values."""
_WAS = {
    "birth date": "was born on {}",
    "death date": "died on {}",
    "birthplace": "was born in {}",
    "birth name": "was named {} at birth",
}
"""Words that may tell one of several from the others, by the name of the relation."""


def draw_members(facts: Facts, pages: PagesByName, dice: random.Random) -> Iterator[Draft]:
    """Questions whose answer is one of several that a page lists: the one of whom a fact of its own page is true.

    Examples:
        >>> import random
        >>> from multihop.exam.facts import read_facts
        >>> from multihop.exam.members import draw_members
        >>> from multihop.exam.names import PagesByName
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.retrieval import Passage
        >>> corpus = [Passage("1", "Last Bus", "Last Bus is a 1996 film starring Ann Lee and Bob Ray."),
        ...           Passage("2", "Ann Lee", "Ann Lee (born 2 May 1960) is an actress.")]
        >>> subjects = [read_subject(page) for page in corpus]
        >>> facts = {subject.page.id: read_facts(subject) for subject in subjects}
        >>> [draft] = draw_members(facts, PagesByName(corpus, subjects), random.Random(0))
        >>> draft.question, draft.answers
        ('Which star of the 1996 film Last Bus was born on 2 May 1960?', ('Ann Lee',))
    """
    for subject in (own[0].subject for own in facts.values() if own):
        for several in SEVERAL:
            if subject.kind in several.kinds:
                yield from _of_list(subject, several, facts, pages, dice)


def _of_list(
    subject: Subject, several: Several, facts: Facts, pages: PagesByName, dice: random.Random
) -> Iterator[Draft]:
    relation = Relation(several.name, several.kinds, (), "", leads_to=frozenset({"person"}), fits=several.fits)
    words = mention(subject, pages)
    for place, names in _lists(subject, several):
        for name in names:
            member = pages.leads_to(Fact(subject, relation, name, place))
            telling = [fact for fact in facts.get(member.page.id, ()) if fact.relation.name in _WAS] if member else []
            if not member or not telling:
                continue
            fact = dice.choice(telling)
            told = _WAS[fact.relation.name].format(fact.value)
            steps = (
                Step(f"Who are the {several.one}s of {words}?", ", ".join(names), subject, place, several.name),
                Step(f"Who {told}?", name, member, fact.sentence, fact.relation.name),
            )
            answers = tuple(dict.fromkeys([name, member.name]))
            yield Draft(MEMBER, f"Which {several.one} of {words} {told}?", answers, steps, (subject,))


def _lists(subject: Subject, several: Several) -> Iterator[tuple[int, list[str]]]:
    """The lists of two names or more that the subject's sentences hold, each with the place of its sentence."""
    for place, sentence in enumerate(subject.sentences):
        if place and not is_about(sentence, subject):
            continue
        text = " ".join(blank_brackets(sentence).split()).replace(" ,", ",")
        for opening in several.opening.finditer(text):
            if is_of_another(text[: opening.start()]):
                continue
            names, start = [], opening.end()
            while found := _NEXT.match(text, start):
                names.append(found["v"].strip(' "'))
                start = found.end()
                if not found["rest"]:
                    break
            if len(names) > 1:
                yield place, names
