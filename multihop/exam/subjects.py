"""The subject of a page: its name, its definition in the first sentence, and its kind."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import NamedTuple

from ..data.gold.page_names import is_person
from ..english.country_names import country_words
from ..english.sentences import split_sentences
from ..retrieval import Passage

HEADS = {
    "person": "actor actress director filmmaker singer songwriter singer-songwriter musician politician player writer "
    "author novelist poet journalist producer painter artist lawyer king queen general scientist rapper composer "
    "businessman businesswoman entrepreneur athlete architect philosopher historian wrestler driver coach footballer "
    "comedian model guitarist drummer bassist vocalist physicist chemist mathematician biologist economist engineer "
    "professor scholar theologian activist photographer sculptor designer screenwriter playwright dramatist presenter "
    "host broadcaster dancer choreographer boxer cricketer golfer swimmer cyclist skater judge jurist diplomat officer "
    "soldier astronaut cartoonist illustrator animator editor publisher critic essayist conductor pianist violinist "
    "soprano tenor bishop priest pastor missionary nobleman inventor attorney chef pilot celebrity noblewoman physician surgeon psychologist psychiatrist botanist "
    "zoologist astronomer explorer executive personality",
    "film": "film movie documentary",
    "show": "series sitcom serial show programme program miniseries telenovela",
    "episode": "episode",
    "album": "album EP soundtrack",
    "song": "song single ballad",
    "book": "novel book novella story autobiography memoir anthology",
    "play": "musical opera play ballet operetta",
    "game": "game",
    "band": "band duo trio quartet quintet ensemble",
    "company": "company corporation firm airline brewery label studio manufacturer retailer publisher agency railroad conglomerate subsidiary chain",
    "organization": "organization organisation association union charity party league foundation society institute",
    "paper": "newspaper magazine journal",
    "station": "station channel network",
    "school": "university college school academy conservatory",
    "team": "club team franchise",
    "place": "city town village municipality county commune suburb borough neighborhood neighbourhood province state "
    "hamlet community settlement place parish district island township country",
    "building": "museum stadium arena church castle cathedral bridge hotel theatre theater airport hospital mall tower "
    "skyscraper mansion house park library abbey prison building complex resort hall coaster",
    "character": "character protagonist antagonist",
    "species": "genus species",
    "battle": "battle war campaign",
}
"""The kinds of subjects, each with the nouns that it is defined by."""
WORKS = frozenset({"film", "show", "episode", "album", "song", "book", "play", "game"})
"""The kinds that somebody made."""
GROUPS = frozenset({"band", "company", "organization", "team", "school", "station", "paper"})
"""The kinds that somebody founded."""
_IS = re.compile(r"\b(is|was|are|were) (?:an?|the) ")
_END = re.compile(
    r",? (?:in|of|by|from|for|on|at|to|with|that|which|who|whose|where|when|located|situated|based|set|known|born|and|or|"
    r"starring|featuring|written|co-written|made|held|built|given|drawn|sung|shot|run|led|composed|originally|about|under|during|near|between|within|after|as|into|created|consisting|being|"
    r"\w+ed(?= (?:in|by|on|at|for|to|from|and)\b))\b|[,;.:(]|$"
)
_KIND = {word: kind for kind, words in HEADS.items() for word in words.split()}
_RANK = re.compile(
    r"^(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|[a-z]+teenth|[a-z-]*tieth|"
    r"\d*(?:1st|2nd|3rd|\dth)|[a-z]+est(?<!west)|last|final|next|and|most \w+|former|main|upcoming|current) )+"
)
_WORD = re.compile(r"(?:(?:South|North|West|East|New|Saudi|Sri|Costa|Puerto|Hong) (?=[A-Z]))?\S+")
_SPORTS = re.compile(r"\b(?:American|Canadian|Australian) (?:football|rules)\b|\b(?:French horn|English teacher)\b")
"""Words that tell no country, though they hold the name of a people."""
_VAGUE = re.compile(r"\b(?:only|one|most|name|title|list|first|second|third|fifth|best|oldest|largest)\b")
LONGEST = 6
"""Words of a noun phrase at most; a longer one would make a question clumsy."""


class Subject(NamedTuple):
    """The subject of a page."""

    page: Passage
    name: str
    """The title without what is in brackets, or the last heading in it, else the name that the first sentence opens
    with."""
    noun: str
    """The words of its definition up to the noun: "1951 British thriller film"."""
    kind: str
    """A key of `HEADS`."""
    past: bool
    """True if it is said to have been, not to be."""
    sentences: tuple[str, ...]

    @property
    def head(self) -> str:
        """The last word of the noun."""
        return self.noun.rpartition(" ")[2]

    @property
    def plain_noun(self) -> str:
        """The noun without its year and its country."""
        kept = [word for word in _WORD.findall(self.noun) if not word[0].isdigit() and not is_demonym(word)]
        return " ".join(kept)

    @property
    def demonym(self) -> str:
        """The word of its definition that says which country it is of, where there is one alone."""
        found = [word for word in _WORD.findall(_SPORTS.sub("", self.noun)) if is_demonym(word)]
        return found[0] if len(found) == 1 else ""

    @property
    def year(self) -> str:
        """The year in its definition: the year it came out."""
        return self.noun[:4] if re.match(r"[12]\d{3} ", self.noun) else ""


def read_subject(page: Passage) -> Subject | None:
    """The subject of a page, or None where its first sentence does not say plainly what it is.

    Examples:
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.retrieval import Passage
        >>> text = "The Franchise Affair is a 1951 British thriller film directed by Lawrence Huntington."
        >>> subject = read_subject(Passage("p", "The Franchise Affair (film)", text))
        >>> subject.name, subject.noun, subject.kind, subject.year, subject.demonym
        ('The Franchise Affair', '1951 British thriller film', 'film', '1951', 'British')
    """
    sentences = tuple(split_sentences(page.text))
    if not sentences or "(disambiguation)" in page.title:
        return None
    first = blank_brackets(sentences[0])
    verb = _IS.search(first)
    if not verb:
        return None
    opening = first[: verb.start()]
    name = _last_heading(html.unescape(page.title).split(" (")[0].strip(' "'), opening) or opening.strip(' ",')
    if not _opens_with(opening, name.split(", ")[0], person=is_person(page)):
        return None
    rest = " ".join(first[verb.end() :].split())
    end = _END.search(rest)
    noun = _RANK.sub("", rest[: end.start()].strip()) if end else ""
    words = noun.split()
    if not 0 < len(words) <= LONGEST or _VAGUE.search(noun) or " / " in noun or '"' in f"{noun}{name}":
        return None
    kind = _kind(noun)
    return Subject(page, name, noun, kind, verb[1] in ("was", "were"), sentences) if kind else None


def _kind(noun: str) -> str:
    if re.search(r"\bsoap opera$|\btelevision (?:\w+ )?drama$", noun):
        return "show"
    if re.search(r"\b(?:girl|boy|rock|pop|hop|music|musical|vocal|folk|metal) group$", noun):
        return "band"
    return _KIND.get(noun.rpartition(" ")[2], "")


def blank_brackets(sentence: str) -> str:
    """The sentence, as long as before, without what is in brackets."""
    return re.sub(r"\([^()]*\)", lambda match: " " * len(match[0]), sentence)


@cache
def is_demonym(word: str) -> bool:
    """True if a word, or each part of one with a hyphen, tells a country's people: "American", "Anglo-Irish"."""
    told = word[:1].isupper() and not word.endswith(("-born", "-based")) and word not in {"US", "UK", "U.S.", "USA"}
    return told and bool(country_words(word))


def _last_heading(title: str, opening: str) -> str:
    """The last of the headings that are a section's title, where the opening words do not tell those before it.

    So "Films: Night Train" is Night Train, and "Star Wars: Rebels" is what it is.
    """
    before, _, last = title.rpartition(": ")
    told = set(re.findall(r"\w+", opening.lower()))
    return title if told.issuperset(re.findall(r"\w+", before.lower())) else last


def _opens_with(opening: str, name: str, *, person: bool) -> bool:
    """True if the words before "is" name the subject, and nothing much besides."""
    words, own = re.findall(r"\w+", opening.lower()), re.findall(r"\w+", name.lower())
    return (
        bool(own) and own[-1] in words and (person or own[0] in words or own[0] == "the") and len(words) <= len(own) + 8
    )
