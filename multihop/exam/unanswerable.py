"""Questions that no page answers: of a page that is found along a chain, something that is told nowhere."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from .chains import Facts
from .drafts import UNANSWERABLE, Draft, Step
from .facts import Fact
from .names import PagesByName
from .relations import RELATIONS, Relation
from .subjects import Subject
from .wording import ask, describe, mention

_ASKED = frozenset({
    "birthplace", "death place", "university", "spouse", "formation", "founding", "founder", "base", "label",
    "producer", "release", "publisher", "owner", "opening", "architect", "population", "birth date",
})  # fmt: skip
"""The relations that any subject of their kinds has, so that it makes sense to ask for them."""
_LIFE = re.compile(
    r"\([^()]*(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)\b[A-Z]\w+[^()]*"
    r"\d{4}|\(.*\d{4}[^()]*[A-Z]\w+[^()]*\)"
)
"""Brackets that tell a life, with more than its dates: it may be where it began and ended."""


def draw_unanswerable(facts: Facts, pages: PagesByName, dice: random.Random) -> Iterator[Draft]:
    """Questions whose first hop can be made and whose last cannot: no page that names the subject tells it."""
    for own in facts.values():
        for first in own:
            target = pages.leads_to(first)
            lacking = _lacking(target, pages) if target else []
            if not target or not lacking:
                continue
            words = mention(first.subject, pages)
            described = describe(first, words, target, dice)
            relation = dice.choice(lacking)
            asked = Fact(target, relation, "", -1)
            if relation.name == first.relation.name:
                continue
            steps = (
                Step(ask(first, words), target.name, first.subject, first.sentence, first.relation.name),
                Step(ask(asked, target.name), "", target, -1, relation.name),
            )
            yield Draft(UNANSWERABLE, ask(asked, described), (), steps, (first.subject,))


def _lacking(subject: Subject, pages: PagesByName) -> list[Relation]:
    """The relations that subjects of this kind have and of which no page that holds its name has the words."""
    fitting = [relation for relation in RELATIONS if relation.name in _ASKED and subject.kind in relation.kinds]
    texts = [page.text.lower() for page in pages.holding(subject.name)]
    return [
        relation
        for relation in fitting
        if not any(re.search(rf"\b(?:{relation.cues})", text) for text in texts)
        and not (relation.name == "death place" and not subject.past)
        and not (relation.name in ("birth date", "birthplace", "death place") and _LIFE.search(subject.sentences[0]))
    ]
