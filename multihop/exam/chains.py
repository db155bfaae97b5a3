"""Questions along a chain: one page leads to the next, which is described by it and not named."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from .drafts import BRIDGE, Draft, Step
from .facts import Fact
from .names import PagesByName
from .wording import ask, describe, mention

Facts = Mapping[str, Sequence[Fact]]
"""The facts of each page, by its id."""


def draw_chains(facts: Facts, pages: PagesByName, dice: random.Random) -> Iterator[Draft]:
    """Questions of two or three hops, one for each way from a page by its facts to a fact of another.

    Examples:
        >>> import random
        >>> from multihop.exam.chains import draw_chains
        >>> from multihop.exam.facts import read_facts
        >>> from multihop.exam.names import PagesByName
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.retrieval import Passage
        >>> corpus = [Passage("1", "Last Bus", "Last Bus is a 1996 film directed by Ann Lee."),
        ...           Passage("2", "Ann Lee", "Ann Lee (born 2 May 1960) is a film director.")]
        >>> subjects = [read_subject(page) for page in corpus]
        >>> facts = {subject.page.id: read_facts(subject) for subject in subjects}
        >>> [draft] = draw_chains(facts, PagesByName(corpus, subjects), random.Random(0))
        >>> draft.question, draft.answers
        ('When was the director of the 1996 film Last Bus born?', ('2 May 1960',))
    """
    for name, own in facts.items():
        for first in own:
            target = pages.leads_to(first)
            if target is None:
                continue
            words = mention(first.subject, pages)
            described = describe(first, words, target, dice)
            steps = (hop(first, words, target.name),)
            for fact in facts.get(target.page.id, ()):
                yield chain(first, fact, described, steps)
                end = pages.leads_to(fact)
                if end is None or end.page.id in (name, target.page.id):
                    continue
                further = describe(fact, described, end, dice)
                for last in facts.get(end.page.id, ()):
                    yield chain(first, last, further, (*steps, hop(fact, target.name, end.name)))


def chain(first: Fact, last: Fact, described: str, steps: tuple[Step, ...]) -> Draft:
    """The question that asks the last fact of what is described so."""
    steps = (*steps, hop(last, last.subject.name, last.value))
    return Draft(BRIDGE, ask(last, described), answers(last), steps, (first.subject,))


def hop(fact: Fact, words: str, answer: str) -> Step:
    """The step that finds a fact of a subject called so."""
    return Step(ask(fact, words), answer, fact.subject, fact.sentence, fact.relation.name)


def answers(fact: Fact) -> tuple[str, ...]:
    """The answers to accept: the value, and of a place with its state or country also the place alone."""
    value = fact.value
    shorter = [value.split(", ")[0]] if ", " in value and not value[-1].isdigit() else []
    bare = [value.removeprefix("the ")] if value.startswith("the ") else []
    return tuple(dict.fromkeys([value, *shorter, *bare]))
