"""Questions of a region that cannot be answered: a page that each of them takes is left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from ..question import Question
from .chains import KIN
from .dice import Dice
from .mentions import answers
from .region import Region
from .unnumbered_question import UnnumberedQuestion
from .values import Entity


class Incomplete(NamedTuple):
    """A region's questions, some of them without answer, and the pages that are left out for it."""

    questions: list[Question]
    """All questions, in their order."""
    missing: frozenset[str]
    """The ids of the pages: one for each question without answer, and of no other question's gold."""


def leave_pages_out(
    region: Region, drawn: list[UnnumberedQuestion], first: int, share: float, dice: Dice
) -> Incomplete:
    """The region's questions, the share of them without answer.

    A question's page is left out only if no other question that has an answer rests on it, and if no page that stays
    states the same fact: that a page names both the subject and the value is enough to spare it. Facts of kinship are
    spared too, since they follow from others. Where too few pages can be left out, fewer questions are without answer.

    Args:
        region: The region.
        drawn: The questions that were drawn from it.
        first: The number of the first of them.
        share: The share of questions that is to have no answer.
        dice: Decides which.
    """
    questions = [question.with_number(first + place) for place, question in enumerate(drawn)]
    wanted = round((first + len(drawn)) * share) - round(first * share)
    if not wanted:
        return Incomplete(questions, frozenset())
    texts = [f"{entity.title}\n{entity.text}" for entity in region.entities]
    own = set(region.entities)
    resting = Counter(page for question in drawn for page in {page for page, _ in question.facts})
    missing: dict[int, Entity] = {}
    for place in dice.mix(range(len(drawn))):
        if len(missing) == wanted:
            break
        pages = {page for page, _ in drawn[place].facts}
        for page, relation in dice.mix(drawn[place].facts):
            if page in own and resting[page] == 1 and relation not in KIN and _stated_once(page, relation, texts):
                missing[place] = page
                resting.subtract(pages)
                break
    for place in missing:
        questions[place] = replace(
            questions[place], answers=(), answerable=False, supporting=(), supporting_sents=(), decomposition=()
        )
    return Incomplete(questions, frozenset(page.id for page in missing.values()))


def _stated_once(page: Entity, relation: str, texts: list[str]) -> bool:
    """True if no other page names both the page and the value, in any of their forms."""
    subject, value = (_any_of(answers(each)) for each in (page, page.facts[relation]))
    return sum(1 for text in texts if subject.search(text) and value.search(text)) <= 1


def _any_of(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(form) for form in forms))
