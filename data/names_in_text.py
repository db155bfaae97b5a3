"""Names, dates, answers and countries found in a text, as whole words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from ..base.english import Span

_DATE = re.compile(r"^(?:([A-Z][a-z]+) (\d{1,2})|(\d{1,2}) ([A-Z][a-z]+)),? (\d{3,4})$")
_ALIKE = str.maketrans("‘’ʻʼ“”–—‐‑−", "''''\"\"-----")


def occurrences(text: str, phrases: Iterable[str]) -> list[Span]:
    """The places of any of the phrases in the text, as whole words and in any case; dates match in either order."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is longer, such as "İ": places would not agree
        low = "".join(letter.lower()[0] for letter in text)
    wordings = (wording.lower() for phrase in phrases for wording in _wordings(phrase.strip()))
    spans = {span for wording in wordings if wording in low for span in _whole(low, wording)}
    return sorted(spans)


def _whole(text: str, wording: str) -> Iterator[Span]:
    """The places of the wording in the text that have no letter or digit right before or after.

    It is looked for without a pattern: nearly always it is not there, and compiling one takes a thousand times longer.
    """
    start = text.find(wording)
    while start >= 0:
        end = start + len(wording)
        whole = not (_is_of_word(text[start - 1 : start]) or _is_of_word(text[end : end + 1]))
        if whole:
            yield start, end
        start = text.find(wording, end if whole else start + 1)


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def as_written(text: str, phrase: str) -> str:
    """The phrase as the text first writes it, accents and kinds of quotes aside; empty where it is not there."""
    spans = occurrences(text, [phrase]) or occurrences(unaccented(text), [unaccented(phrase)])
    return text[slice(*spans[0])] if spans else ""


def unaccented(text: str) -> str:
    """The text letter for letter without accents; its length stays."""
    return text if text.isascii() else "".join(map(_bare, text.translate(_ALIKE)))


@cache
def _bare(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter)[0]


def _wordings(phrase: str) -> list[str]:
    if date := _DATE.match(phrase):
        month, day, year = date[1] or date[4], date[2] or date[3], date[5]
        return [f"{month} {day}, {year}", f"{day} {month} {year}", f"{day} {month}, {year}", f"{month} {day} {year}"]
    return [phrase] if phrase else []


@cache
def _country_lines() -> list[list[str]]:
    """For each country what it is called here, then everything else that means it."""
    text = files(__package__).joinpath("countries.txt").read_text(encoding="utf-8")
    return [line.split(", ") for line in text.splitlines()]


@cache
def _country() -> dict[str, str]:
    return {name: names[0] for names in _country_lines() for name in names}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_country(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def countries(text: str) -> set[str]:
    """The countries that a text names, whatever it calls them."""
    return {_country()[name] for name in _pattern().findall(text)}


def country_words(text: str, country: str) -> list[str]:
    """The words of a text that name a country or its people, in order."""
    known = _country()
    return [word for word in _pattern().findall(text) if word in _peoples() and known[word] == known.get(country)]


@cache
def _peoples() -> frozenset[str]:
    """The countries' own names and their peoples', which come first in each line or begin alike."""
    lines = _country_lines()
    return frozenset(name for names in lines for n, name in enumerate(names) if n < 3 or name[:3] == names[0][:3]) | {
        "British", "English", "Scottish", "Welsh", "England", "Scotland", "Wales", "U.S.", "USA",
    }  # fmt: skip
