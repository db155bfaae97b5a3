"""The names of a page: its title, shorter forms of the title, and the name in its own first sentence."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from ...base.english import sentence_spans
from ...retrieval import Passage
from .whole_words import as_written

_OPENING = re.compile(r'^"?([^"(,]{3,60}?)"?,?\s+(?:\(|is\b|was\b|are\b|were\b|(?:better |also )?known)')
_ALIAS = re.compile(
    r"\b(?:known(?: professionally)? as|stage name|nicknamed|called|née)\s+\"?([A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*)"
)
_PERSON = re.compile(r"\b(?:born|he|she|his|her|actor|actress|politician|singer|player)\b", re.IGNORECASE)
_LIFE = re.compile(r"^[^.;]{0,60}\([^)]{0,60}?(?:\bborn\b|\d{3,4} ?[–—-] ?[^)]*\d{3,4})|\b(?:was|were) born\b")
_CALLING = re.compile(
    r"\b(?:is|was) (?:an?|the) (?:[\w'’-]+,? (?:and )?){0,5}?(?:act(?:or|ress)|politician|\w*(?:player|maker|writer)|"
    r"footballer|singer|musician|author|poet|director|producer|painter|lawyer|king|queen|general|scientist|rapper|"
    r"composer|businessman|businesswoman|journalist|athlete|architect|philosopher|historian|wrestler|driver|coach)\b"
)
_NAME = re.compile(r"[A-Z][\w'’.-]+(?: (?:of|the|de|von|van|and) (?=[A-Z])| [A-Z][\w'’.-]+)*")


@lru_cache(maxsize=4096)
def names_of(page: Passage) -> tuple[str, ...]:
    """The names that other texts may use for a page, the fullest first.

    Examples:
        >>> from multihop.data.gold.page_names import names_of
        >>> from multihop.retrieval import Passage
        >>> names_of(Passage("p", "Sulli (singer)", "Choi Jin-ri, better known as Sulli, is an actress."))
        ('Sulli', 'Choi Jin-ri')
        >>> names_of(Passage("p", "Young, New South Wales", "Young is a town."))
        ('Young, New South Wales', 'Young')
    """
    name = html.unescape(page.title).split(" (")[0].strip()
    first = _first_sentence(page)
    names = [name, name.replace('"', ""), name.removeprefix("The "), name.split(", ")[0]]
    if opening := _OPENING.match(first):
        names.append(opening[1])
    names += _ALIAS.findall(first)
    if _PERSON.search(page.text) and len(words := name.split()) in (2, 3, 4) and words[-1][:1].isupper():
        names += [f"{words[0]} {words[-1]}", words[-1]]
    return tuple(dict.fromkeys(each.strip() for each in names if len(each.strip()) > 2))


def name_in(text: str, page: Passage) -> str:
    """The fullest name of the page that the text holds, as the text writes it; empty where it holds none."""
    return next((written for name in names_of(page) if (written := as_written(text, name))), "")


def is_person(page: Passage) -> bool:
    """True if a page seems to be about a person."""
    first = _first_sentence(page)
    return bool(_LIFE.search(first) or _CALLING.search(first))


def shared_name(one: str, other: str, known: str) -> str:
    """The longest capitalised name that two texts share and a third does not hold; empty where there is none.

    Examples:
        >>> from multihop.data.gold.page_names import shared_name
        >>> shared_name("He flew with Delta Air Lines.", "Owned by Delta Air Lines in Ohio.", "Who flew in Ohio?")
        'Delta Air Lines'
    """
    names = (match[0].rstrip(".'’-") for match in _NAME.finditer(one) if match.start())
    fitting = [name for name in names if len(name) > 3 and as_written(other, name) and not as_written(known, name)]
    return max(fitting, key=len, default="")


def _first_sentence(page: Passage) -> str:
    spans = sentence_spans(page.text)
    return page.text[slice(*spans[0])] if spans else ""
