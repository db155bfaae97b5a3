"""Links of two passages: the names that both have, the facts that a page states of one, and its descriptions."""

import re
from calendar import day_abbr, day_name, month_abbr, month_name

from ...base.english import content_words, find_words, split_sentences
from ...retrieval import Passage
from .evidence import wording

_DATES = {*month_name, *month_abbr, *day_name, *day_abbr, "Sept"}
_WORD = r"[A-ZÀ-ÖØ-Þ](?:[\w&-]|['’](?=[A-ZÀ-ÖØ-Þ]))*"
_RUN = rf"(?>{_WORD}(?: (?:(?:of |of the |de |van )?{_WORD}|\d+(?![\w:]|\.\d)))*)"
_NAME = re.compile(rf"([a-zß-ÿ,] |(?<![\w'’-]))({_RUN})")
"""A run of words that begin with capitals, and numbers behind one; before it what is there inside a sentence."""
_SMALL = (
    "a the and or but of in on at to for by with from as since until when where who that before after because is was "
    "are were has had have will can led won took made did said went got"
)
_NOUN = rf" (?!(?:{_SMALL.replace(' ', '|')}|\w+ed)\b)[a-zß-ÿ]\w+"
_GENERAL = {"location", "one", "person", "place", "thing"}
"""Kinds that a description may name though no page does."""
_ENDS = "who|whose|that|which|where|of|in|on|at|by|for|from|to|with"
_IS = re.compile(
    r"\b(?:is|was|are|were|been) (?:an?|the) (?:[\w-]+ ){0,5}?"
    r"([a-zß-ÿ-]+(?: (?!\w+ed\b)[a-zß-ÿ-]+)?(?: of [a-zß-ÿ-]+)?)"
    rf"(?= (?:{_ENDS}|and|\w+ed)\b|[.,;(])"
)
_KIND = re.compile(rf"^(?:the|an?) (.+?)(?= (?:{_ENDS})\b|$)")
"""The words of a description that name a kind of thing: "lamp" of "the lamp that Piet Haan designed"."""
_NUMBER = rf"(?<![\w:.,])(?>\d\d? {_WORD} \d{{4}}|\d{{4}}\b|\d(?:[\d.,:]*\w+)?(?:{_NOUN})?)(?![\w:-])"
_FACT = re.compile(rf"{_NAME.pattern}(?!{_NOUN})|{_RUN}|({_NUMBER})")
"""A name or a number, whole: with the noun behind it if it is a number, with none if it is a name. A name with a noun
behind it is passed over with its numbers."""


def shared_names(page: Passage, found: list[Passage]) -> list[tuple[str, Passage]]:
    """The names that the passage shares, each with another that has it.

    First its own title, with each that has it; then those that the fewest have, with the page about it if there is one.
    Names are titles, and runs of capitals that are no date, no part of a longer name, and not also a common word.
    """
    own, shared = [page.name, page.name.rpartition(": ")[2]], dict[str, list[Passage]]()  # a section has its headings'
    titles = [each.name for each in found if named(each.name, page.text)]
    common = {word for each in [page, *found] for word in re.findall(r"(?<![\w'’-])[a-zß-ÿ]\w+", each.text)}
    for name in [*own, *titles, *(name for before, name in _NAME.findall(page.text) if before)]:
        dates = all(word in _DATES or word.isdigit() for word in name.split())
        others = [each for each in found if each != page and named(name, str(each))]
        known = dates or name.lower() in common or any(named(name, each) for each in shared)
        if others and len(name) > 2 and not known:
            shared[name] = sorted(others, key=lambda each: each.name != name)  # the page about it says best what it is
    return [
        (name, other)
        for name, others in sorted(shared.items(), key=lambda each: (each[0] not in own, len(each[1])))
        for other in (others if name in own else others[:1])
    ]


def facts_of(page: Passage, name: str, other: Passage) -> list[str]:
    """Names and numbers that the page states and the other does not, if not in its title in a sentence with the name.

    The page's own name is such a fact of a name that is not in its title.
    """
    about = name in page.title
    texts = [each for each in split_sentences(page.text) if about or named(name, each)]
    facts = [run or number for before, run, number in _FACT.findall(" ".join(texts)) if before or number]
    facts = [fact for fact in facts if not named(fact, f"{name} {page.title}")]
    facts += [page.name] if not about and re.fullmatch(_RUN, page.name) else []
    return [fact for fact in facts if not named(fact, str(other))]


def kind_of(page: Passage) -> str:
    """The kind of thing that a page is about: "lamp" if "Kite 4 is a lamp", "team" of a page "Night team", or empty."""
    found = _IS.search(page.text) or re.search(r" ([a-zß-ÿ-]+)$", page.name)
    return found[1] if found else ""


def named(name: str, text: str) -> bool:
    """True if the text has the name as whole words, in any case."""
    return bool(name.strip()) and bool(find_words(name.strip(), text))


def fits(description: str, name: str, page: Passage, known: Passage) -> bool:
    """True if the description holds no part of the name, and names or numbers, which all stand in its page.

    What it says is described must stand there too, or where it is known from.
    """
    marked = re.findall(r"[A-ZÀ-ÖØ-Þ\d][\w-]*", description[1:])
    parts = {part for part in name.split() if not part.islower() and part != "The"}
    stated = all(named(each, str(page)) for each in marked)
    kind = set(" ".join(_KIND.findall(description)[:1]).split()) - _GENERAL
    known_kind = all(re.search(rf"\b{re.escape(re.sub('[eo]r$', '', each))}", f"{page} {known}") for each in kind)
    return bool(marked) and stated and known_kind and parts.isdisjoint(marked) and not named(name, description)


def fits_another(told: str, page: Passage, others: list[Passage]) -> bool:
    """True if another passage holds each word of what is told that this one holds, whose name is not told."""
    words = {*content_words(told)} & {*content_words(str(page))}
    return not named(page.name, told) and any(words.issubset(content_words(str(each))) for each in others)


def around(name: str, page: Passage) -> str:
    """The sentence that has the name, and where the page is about it the next one too."""
    first = sentence_of(page, name, "")[1]
    return " ".join(split_sentences(page.text)[first : first + 1 + (name in page.title)])


def sentence_of(page: Passage, thing: str, told: str) -> tuple[str, int]:
    """The sentence with the thing that shares most words with what was told: the passage's id, and its place."""
    words, sentences = set(wording(told).split()), split_sentences(page.text)
    fits = [(named(thing, each), len(words.intersection(wording(each).split()))) for each in sentences]
    return page.id, fits.index(max(fits)) if fits else 0
