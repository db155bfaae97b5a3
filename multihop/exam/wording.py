"""Words for subjects, and for what is asked of them."""

from __future__ import annotations

import random

from .facts import Fact
from .names import PagesByName
from .subjects import HEADS, WORKS, Subject

LONGEST_NOUN = 4
"""Words of a noun by which a page is described, at most."""
_BY_NAME = frozenset({"person", "place"})


def mention(subject: Subject, pages: PagesByName) -> str:
    """The name of a subject, and before it, where that alone might be another's, the noun that defines it.

    Examples:
        >>> from multihop.exam.names import PagesByName
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.exam.wording import mention
        >>> from multihop.retrieval import Passage
        >>> film = read_subject(Passage("1", "Emma (1996 film)", "Emma is a 1996 film directed by Douglas McGrath."))
        >>> mention(film, PagesByName([film.page], [film]))
        'the 1996 film Emma'
    """
    clear = pages.is_only_one(subject) and (" " in subject.name or subject.kind == "place")
    if clear and subject.kind not in WORKS | {"character", "band"}:
        return subject.name
    return f"the {subject.noun} {subject.name}"


def ask(fact: Fact, words: str) -> str:
    """The question for a fact of a subject that is called so."""
    return capital(fill(fact.relation.ask, fact, words))


def describe(fact: Fact, words: str, target: Subject, dice: random.Random) -> str:
    """Words for what a fact leads to, by the subject that it is a fact of, which is called so.

    "The director of Emma", or, where dice says so and its noun is short, "the film director who directed Emma".
    """
    noun, clause = target.plain_noun, fact.relation.clause
    if target.head not in HEADS[target.kind].split() or len(noun.split()) > LONGEST_NOUN:
        noun = "band" if target.kind == "band" else ""
    if clause and noun and target.head[:5] not in clause and (target.kind == "band" or dice.random() < 0.5):
        return f"the {noun} {fill(clause, fact, words, who='who' if target.kind == 'person' else 'that')}"
    return fill(fact.relation.describes, fact, words)


def fill(template: str, fact: Fact, words: str, who: str = "") -> str:
    """The template with its slots filled; `{}` is the subject, called so."""
    past, article = fact.subject.past or fact.is_over, "the" if fact.role.startswith(("lead", "front")) else "a"
    slots = {"was": "was" if past else "is", "owns": "owned" if past else "owns", "role": fact.role, "who": who}
    return template.format(words, **slots, a_role=f"{article} {fact.role}")


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
