"""The attributes that questions compare, each with a question for it and the search for its value in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ...base.country_names import country_words

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = rf"(?:\d{{1,2}} {_MONTH},? \d{{3,4}}|{_MONTH} \d{{1,2}},? \d{{3,4}}|{_MONTH},? \d{{4}}|\b\d{{4}}\b)"
_NUMBER = r"(?:about |around |approximately |over |nearly )?\b\d[\d,.]*\d(?: (?:million|billion|thousand))?\b|\b\d\b"
Find = Callable[[str], str]
"""From a sentence, its words about the attribute, unchanged; empty if it has none."""


class Attribute(NamedTuple):
    """One thing that may be compared."""

    words: re.Pattern[str]
    """A pattern for the words of a question that compare by this attribute."""
    ask: str
    """The question for one of the things, `{}`."""
    find: Find


def _after(*before: str, value: str) -> Find:
    """The value that comes soonest after one of these words; else the first of the sentence."""
    patterns = [re.compile(rf"\b(?:{each})\b[^.;]{{0,60}}?({value})", re.IGNORECASE) for each in before]
    anywhere = re.compile(f"({value})")

    def find(sentence: str) -> str:
        hit = next((match for pattern in patterns if (match := pattern.search(sentence))), None)
        hit = hit or anywhere.search(sentence)
        return hit[1] if hit else ""

    return find


def _death(sentence: str) -> str:
    hit = re.search(rf"\bdied\b[^.;]{{0,40}}?({DATE})|{DATE}[^()–—-]{{0,40}}[–—-][^()]{{0,40}}?({DATE})", sentence)
    return (hit[1] or hit[2]) if hit else ""


def _country(sentence: str) -> str:
    return next(iter(country_words(sentence)), "")


def _place(sentence: str) -> str:
    hit = re.search(
        r"\b(?:located|situated|based|headquartered|headquarters|lies|live|native|found|endemic|born|located near)\b"
        r"[^.;]{0,60}?\b(?:in|at|to|near|on)\s+((?:the )?[A-Z][^.;()]*)",
        sentence,
    ) or re.search(r"\bin\s+((?:the )?[A-Z][\w'’-]+(?:,? (?:of |and )?[A-Z][\w'’-]+)*)", sentence)
    return re.split(r",? (?:that|which|who|and (?:is|was|has)|where|with)\b", hit[1])[0].strip(" ,") if hit else ""


def _attribute(words: str, ask: str, find: Find) -> Attribute:
    return Attribute(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), ask, find)


_MADE = r"founded|formed|established|created|started|began|opened|incorporated|organized|built|introduced|launched"
_OUT = r"released|published|came out|premiered|debuted|aired|launched|issued|film|novel|album|magazine"
ATTRIBUTES = (
    _attribute("died|die|passed away|death", "When did {} die?", _death),
    _attribute(
        "born|birth|older|oldest|younger|youngest|elder|age", "When was {} born?", _after("born", r"\(", value=DATE)
    ),
    _attribute(
        "released|published|came out|come out|newer|premiered|debuted|aired|most recent|more recent|more recently",
        "When was {} released?",
        _after(_OUT, value=DATE),
    ),
    _attribute(
        "founded|formed|established|created|opened|built|introduced|launched",
        "When was {} founded?",
        _after(_MADE, value=DATE),
    ),
    _attribute("first|earlier|later|longer|sooner|started|began", "From when is {}?", _after(_MADE, _OUT, value=DATE)),
    _attribute("nationality|citizens?|citizenship", "What is the nationality of {}?", _country),
    _attribute(
        "(?:same|what|which) (?:country|nation)|countries|American|British|Canadian|Australian|French|German|Italian|"
        "Indian|Japanese|Chinese|Russian|English|Irish|Scottish|Mexican|Dutch|Swedish",
        "From which country is {}?",
        _country,
    ),
    _attribute(
        "where|located|based|headquartered|city|cities|states?|county|province|continent|region|native|lies?|live",
        "Where is {}?",
        _place,
    ),
    _attribute("population|populous|inhabitants", "What is the population of {}?", _after("population", value=_NUMBER)),
    _attribute("members?", "How many members does {} have?", _after("members?", value=_NUMBER)),
    _attribute(
        "taller|tallest|higher|highest|height|elevation",
        "How high is {}?",
        _after("high", "height", "elevation", value=_NUMBER),
    ),
)
"""The attributes known; a question compares by the first whose words it has and whose value all its pages give."""
