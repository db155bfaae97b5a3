"""The hops of a question that sets paragraphs side by side: what each of them says of what is compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from ...base.english import content_words
from ...retrieval import Passage
from ..question import Question
from .attributes import ATTRIBUTES, Attribute
from .definitions import definition, definition_question
from .gold_passages import supporting_and_others, supporting_or_all
from .page_names import name_in, names_of
from .path import GoldHop
from .whole_words import as_written, occurrences

_ROLES = ("director", "performer", "composer", "author", "producer", "screenwriter", "founder", "singer", "writer",
          "father", "mother", "spouse", "husband", "wife")  # fmt: skip


def compares(question: Question, pages: Sequence[Passage]) -> bool:
    """True if a question compares its pages: by its type, by the answer yes or no, or because it offers their names."""
    if "comparison" in question.type or question.answer.lower() in ("yes", "no"):
        return True
    if question.type or len(pages) < 2:
        return False
    offered = [page for page in pages if name_in(question.question, page)]
    chosen = any(_same(answer, page) for page in pages for answer in question.answers)
    return len(offered) == len(pages) and chosen and bool(re.search(r"\b(?:or|and)\b", question.question))


def compare_pages(question: Question, pages: Sequence[Passage]) -> list[GoldHop] | str:
    """One hop for each page with its value of the compared attribute, in the question's order; or why there is none.

    A page that the question does not name is reached from one that it names.
    """
    bridges = [hop for page in _in_order(question, pages) if (hop := _bridge(question, page, pages))]
    ends = [page for page in _in_order(question, pages) if page not in [hop.passage for hop in bridges]]
    attribute = _attribute_of(question, ends)
    hops = list(bridges)
    for page in ends:
        needs = tuple(n for n, hop in enumerate(bridges) if name_in(hop.answer, page))
        value = (_value(question, page, attribute) if attribute else None) or definition(question, page)
        value = value or _first_sentence(question, page)
        if value is None:
            return f"its paragraph '{page.title or page.id}' is empty"
        name = hops[needs[0]].answer if needs else name_in(question.question, page) or names_of(page)[0]
        sub_question = attribute.ask.format(name) if attribute else definition_question(page)
        hops.append(GoldHop(sub_question, value[0], page, value[1], needs, by_rule=True))
    return hops


def _in_order(question: Question, pages: Sequence[Passage]) -> list[Passage]:
    """The pages as the question names them, those that it does not name last."""

    def place(page: Passage) -> int:
        spans = occurrences(question.question, names_of(page)[:1]) or occurrences(question.question, names_of(page))
        return spans[0][0] if spans else len(question.question)

    return sorted(pages, key=place)


def _bridge(question: Question, page: Passage, pages: Sequence[Passage]) -> GoldHop | None:
    """The hop from this page to one that the question does not name; None if there is no such hop."""
    if len(pages) < 3 or not (own := name_in(question.question, page)):
        return None
    hidden = [other for other in pages if other != page and not name_in(question.question, other)]
    for sentence in chain(*supporting_and_others(question, page)):
        for other in hidden:
            if name := name_in(sentence, other):
                words = content_words(question.question)
                role = next((role for role in _ROLES if content_words(role)[0] in words), "")
                sub_question = f"Who is the {role} of {own}?" if role else f"Who or what is {own} connected with?"
                return GoldHop(sub_question, name, page, sentence, (), by_rule=True)
    return None


def _attribute_of(question: Question, pages: Sequence[Passage]) -> Attribute | None:
    """The attribute that the question compares; None if there is none that every page gives."""
    rest = question.question
    for page in pages:
        for name in names_of(page)[:1]:
            rest = rest.replace(name, " ")
    fitting = (each for each in ATTRIBUTES if each.words.search(rest))
    return next((each for each in fitting if all(_value(question, page, each) for page in pages)), None)


def _value(question: Question, page: Passage, attribute: Attribute) -> tuple[str, str] | None:
    """A page's value of the attribute and the sentence that gives it, a supporting sentence first."""
    values = ((attribute.find(sentence).strip(), sentence) for sentence in supporting_or_all(question, page))
    return next(((value, sentence) for value, sentence in values if value), None)


def _first_sentence(question: Question, page: Passage) -> tuple[str, str] | None:
    """The first supporting sentence, without its full stop and whole; for a page that does not define its subject."""
    return next(((each.rstrip(" ."), each) for each in supporting_or_all(question, page) if each), None)


def _same(answer: str, page: Passage) -> bool:
    return any(as_written(name, answer) or as_written(answer, name) for name in names_of(page)[:2])
