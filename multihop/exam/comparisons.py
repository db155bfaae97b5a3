"""Questions that set two pages side by side, and two pages that two others lead to."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

from .chains import Facts, hop
from .drafts import BRIDGE_COMPARISON, COMPARISON, Draft, Step
from .facts import Fact
from .names import PagesByName

PAIRS = 40
"""Pairs to draw of one noun, at most: of a large corpus there would be millions."""
UNLIKE = 0.2
"""The share of pairs of two nationalities that is taken: they are many more than those of one."""
_FIRST = {
    "birth date": "Who was born first, {} or {}?",
    "death date": "Who died first, {} or {}?",
    "founding": "Which {noun} was founded first, {} or {}?",
    "formation": "Which {noun} was formed first, {} or {}?",
    "year": "Which {noun} came out first, {} or {}?",
    "release": "Which {noun} was released first, {} or {}?",
}
"""The questions for the earlier of two dates."""
_MADE_BY = ("director", "author", "writer", "performer", "composer")
"""The relations of works to people, each also the word for these."""
_ENDED = {"birth date": "was born first", "death date": "died first"}
_Any = TypeVar("_Any")


def draw_comparisons(facts: Facts, pages: PagesByName, dice: random.Random) -> Iterator[Draft]:
    """Questions for the earlier of two, and whether two are alike, of pages that one noun defines."""
    alike: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for own in facts.values():
        for fact in own:
            if pages.is_only_one(fact.subject) and fact.subject.plain_noun:
                alike[fact.relation.name, fact.subject.plain_noun].append(fact)
    for (relation, noun), several in alike.items():
        for one, other in _draw_pairs(several, dice):
            names = one.subject.name, other.subject.name
            if relation in _FIRST and (first := _earlier(one, other)):
                yield _draft(_FIRST[relation].format(*names, noun=noun), first.subject.name, one, other)
            elif relation == "nationality" and (one.value == other.value or dice.random() < UNLIKE):
                answer = "yes" if one.value == other.value else "no"
                yield _draft(f"Do {names[0]} and {names[1]} have the same nationality?", answer, one, other)


def draw_bridge_comparisons(facts: Facts, pages: PagesByName, dice: random.Random) -> Iterator[Draft]:
    """Questions for the one of two works whose maker was born, or died, first: four pages."""
    made: dict[tuple[str, str, str], list[tuple[Fact, Fact]]] = defaultdict(list)
    for own in facts.values():
        for first in own:
            if first.relation.name not in _MADE_BY or not pages.is_only_one(first.subject):
                continue
            maker = pages.leads_to(first)
            for last in facts.get(maker.page.id, ()) if maker else ():
                if last.relation.name in _ENDED:
                    made[first.relation.name, first.subject.kind, last.relation.name].append((first, last))
    for (relation, kind, asked), several in made.items():
        for (one, of_one), (other, of_other) in _draw_pairs(several, dice):
            earlier = _earlier(of_one, of_other)
            if earlier is None or of_one.subject == of_other.subject:
                continue
            names = f"{one.subject.name} or {other.subject.name}"
            steps = (
                *_both(one, other, of_one.subject.name, of_other.subject.name),
                *_both(of_one, of_other, of_one.value, of_other.value),
            )
            answer = one.subject if earlier == of_one else other.subject
            yield Draft(
                BRIDGE_COMPARISON,
                f"Which {kind} has the {relation} who {_ENDED[asked]}, {names}?",
                (answer.name,),
                steps,
                (one.subject, other.subject),
            )


def _draw_pairs(several: Sequence[_Any], dice: random.Random) -> list[tuple[_Any, _Any]]:
    """Some pairs of these, each in one at most."""
    mixed = dice.sample(list(several), len(several))[: 2 * PAIRS]
    return list(zip(mixed[::2], mixed[1::2], strict=False))


def _draft(question: str, answer: str, one: Fact, other: Fact) -> Draft:
    steps = _both(one, other, one.value, other.value)
    return Draft(COMPARISON, question, (answer,), steps, (one.subject, other.subject))


def _both(one: Fact, other: Fact, first: str, last: str) -> tuple[Step, Step]:
    return hop(one, one.subject.name, first), hop(other, other.subject.name, last)


def _earlier(one: Fact, other: Fact) -> Fact | None:
    """The one of two facts that is of an earlier year; None where they are of one year, or have none."""
    years = [re.search(r"\b\d{4}\b", fact.value) for fact in (one, other)]
    if not years[0] or not years[1] or years[0][0] == years[1][0]:
        return None
    return one if int(years[0][0]) < int(years[1][0]) else other
