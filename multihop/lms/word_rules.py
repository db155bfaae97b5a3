"""Rules of words: names in a text, names for pronouns, yes or no about two things, and which of two things it is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..base.english import Span, content_words, find_words, split_sentences, split_title
from ..data.names_in_text import countries

_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’\-]*"
_NAME = re.compile(
    rf"(?:{_CAPITAL}\.?)"
    rf"(?: (?:(?:of|the|de|la|du|von|van|der|di|da|del|al|bin|ibn) ){{0,2}}(?:{_CAPITAL}|\d+)(?:(?<= [A-Z])\.)?)*"
)
_OPENING_WORDS = (
    "The A An He She It They His Her Its Their This That These Those In On At By For From With As After Before During "
    "When While Since Although However Also But And Or There Here Born One Two Both Some Many Most Other"
)
_OPENERS = frozenset(_OPENING_WORDS.split())

_PERSON = re.compile(r"he|she|him|her|his|hers|they|them|their|theirs")
_POINTING = re.compile(rf"\b(?:{_PERSON.pattern}|it|its)\b", re.IGNORECASE)
_OWNER = re.compile(r"(?:his|hers|its|their|theirs)\b|her (?!(?:in|at|on|to|by|with|from|for|of|and|or|as)\b)\w")

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_FULL_DATE = re.compile(
    rf"(?:(\d{{1,2}}) )?({'|'.join(_MONTHS)})(?: (\d{{1,2}}),?)?,? (\d{{3,4}})|\b([12]\d{{3}})\b", re.IGNORECASE
)
_SAME = re.compile(r"\bsame\b|\bboth from\b|\bshare\b")
_COUNTRY = re.compile(r"\b(?:country|countries|nation|nationality|nationalities)\b")
_DEATH = re.compile(r"\b(?:died|death|die)\b")
_MAKER = re.compile(r"\b(?:directors?|composers?|performers?|authors?|whose)\b")
_LIVED_LONGER = re.compile(r"\blived (?:longer|the longest)\b|\blonger life\b")
_EARLY = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|elder)\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:later|latest|younger|youngest|last|after|recent|recently|newer|newest|second)\b", re.IGNORECASE
)
_AUXILIARY = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(
    r"(?:which|what|who|whom|whose|when|where|is|are|was|were|do|does|did|has|have)\b", re.IGNORECASE
)
_SMALL = "a an and at by de del for from in la of on or the to with"
_INSIDE_TITLES = frozenset(_SMALL.split())
_WORD = re.compile(r"[^\W_]\S*")
_TAIL = re.compile(
    r",? (?:(?:is|was|were|has) )?(?:(?:born|founded|formed|released|opened|happens?|happened|comes?|came) )?"
    r"(?:first|earlier|later|older|younger|(?:further|farther) (?:north|east|south|west))$"
)
_AFTER_LEAD_IN = re.compile(r"^[^,:]*[,:] ?(?:either |the |both )?(.+?),? or (?:the )?(.+)$")
_TWO_THINGS = (
    re.compile(
        r"(?:^|[,:] |\b(?:of|between|out of|is|was|than) )(?:(?:either|the|both) )?([^,:]+?),? or (?:the )?([^,]+?)$"
    ),
    re.compile(r"\b(?:[Bb]etween|out of|[Oo]f) (?:(?:the|both|either) )?([^,]+?) (?:and|or) ([^,]+?)(?:,.*)?$"),
    re.compile(r"([A-Z\"][^,]*?),? or ([^,?]+)"),
)


def names(text: str) -> Iterator[re.Match[str]]:
    """Every capitalised name in a text, without the word that merely opens the sentence."""
    for match in _NAME.finditer(text):
        opener = match[0].partition(" ")[0]
        if opener not in _OPENERS:
            yield match
        elif " " in match[0] and (rest := _NAME.search(text, match.start() + len(opener), match.end())):
            yield rest


def full_question(conversation: Sequence[str], question: str) -> str:
    """The question with names for its pronouns, by the conversation ("question -> answer", the latest last)."""
    people: list[str] = []  # answers to questions that begin with "who", and names in questions, the latest first
    things: list[str] = []
    for asked, _, answer in (turn.rpartition(" -> ") for turn in reversed(conversation)):
        named = [match[0] for match in names(asked.partition(" ")[2])][:1]
        answers = [answer] if any(match[0] == answer for match in names(answer)) else []
        who = asked.lower().startswith("who")
        people += [*(answers if who else []), *named]
        things += [*([] if who else answers), *named]

    def name_for(match: re.Match[str]) -> str:
        known = people if _PERSON.fullmatch(match[0].lower()) else things
        if not known or match[0][0].isupper():  # a capital letter: the word is of a title, or begins the question
            return match[0]
        return f"{known[0]}'s" if _OWNER.match(question[match.start() :]) else known[0]

    return _POINTING.sub(name_for, question)


@dataclass(frozen=True)
class TitledPage:
    """A passage read as a title and a text."""

    title: str
    text: str

    @cached_property
    def name(self) -> frozenset[str]:
        """The words of the title, without what is in brackets or after a comma."""
        return frozenset(content_words(re.split(r"\s*\(|, ", self.title)[0]))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text."""
        return frozenset(content_words(self.text))

    @cached_property
    def opening(self) -> str:
        """The first two sentences, which say what the page is about."""
        return " ".join(split_sentences(self.text)[:2])

    @cached_property
    def dates(self) -> list[int]:
        """The dates of its opening, for a person of birth and of death: days of years of twelve months of 31 days."""
        return [_days(match) for match in _FULL_DATE.finditer(self.opening)]


def is_yes_or_no(question: str) -> bool:
    """True if the question wants yes or no."""
    return bool(_AUXILIARY.match(question.strip())) and not (" or " in question and "both" not in question)


def options(question: str) -> tuple[str, str] | None:
    """The two things a question lets us choose between, as it spells them."""
    text = _TAIL.sub("", re.sub(r"[?. ]$", "", question.strip()).strip())
    if not re.search(r" or |\b[Bb]etween\b|\bout of\b|^Of ", text):
        return None
    listed = _AFTER_LEAD_IN.search(text)
    if listed and _is_title(listed[1]) and _is_title(listed[2]):
        return listed[1], listed[2]
    for pattern in _TWO_THINGS:
        match = pattern.search(text)
        if match and re.search(r"[A-Z\d]", match[1]) and re.search(r"[A-Z\d]", match[2]):
            return _without_question_words(match[1]), _without_question_words(match[2])
    return None


def _is_title(option: str) -> bool:
    """True if every word is written as titles write it, some of them with a capital."""
    words = _WORD.findall(option)
    small = [word for word in words if word[0].islower()]
    return len(small) < len(words) and _INSIDE_TITLES.issuperset(small)


def _without_question_words(option: str) -> str:
    """The thing itself, of "is the river Po" or "film is Night"."""
    option = option.strip()
    if not _QUESTION_WORD.match(option):
        return option
    words = option.split()
    lower = [index for index, word in enumerate(words) if word[0].islower() and word not in _INSIDE_TITLES]
    begins = lower[-1] + 1 if lower else int(bool(_AUXILIARY.match(option)))
    return " ".join(words[begins:]) or option


def choose(question: str, passages: Iterable[str], pair: tuple[str, str]) -> str:
    """The chosen one of two: by lives or dates if the question asks for that, else by shared words."""
    pages = _titled(passages)
    first, second = (_pages_about(pages, option) for option in pair)
    rest = question.replace(pair[0], "", 1).replace(pair[1], "", 1)  # titles may hold "before" and the like
    early = bool(_EARLY.search(rest))
    if _LIVED_LONGER.search(rest):
        values = _life(first), _life(second)
    elif early or _LATE.search(rest):
        values = _date(question, first), _date(question, second)
    else:
        values = None, None
    if values[0] is not None and values[1] is not None and values[0] != values[1]:
        return pair[0] if (values[0] < values[1]) == early else pair[1]
    words = set(content_words(question)).difference(content_words(" ".join(pair)))
    shared = [len(words & frozenset[str]().union(*(page.words for page in about))) for about in (first, second)]
    return pair[0] if shared[0] >= shared[1] else pair[1]


def yes_or_no(question: str, passages: Iterable[str]) -> str:
    """Yes or no: for "the same ...", what the passages say of both sides; else whether each says it."""
    pages = _titled(passages)
    places = _titles_in(question, pages)
    subjects = [page for _, page in places][:2] if len(places) > 1 else pages[:2]
    if len(subjects) < 2:
        return "yes"
    sides = [_with_linked_pages(page, pages, subjects) for page in subjects]
    if _SAME.search(question):
        return "yes" if _same_origin(question, sides) else "no"
    rest = question
    for (start, end), _ in reversed(places):
        rest = rest[:start] + rest[end:]
    nations = countries(rest)
    words = set(content_words(question)).difference(*(page.name for page in subjects))
    says = all(nations <= countries(side[0].text) and _share_present(side, words) >= 0.5 for side in sides)
    return "yes" if says else "no"


def _titled(passages: Iterable[str]) -> list[TitledPage]:
    return [TitledPage(*split_title(passage)) for passage in passages]


def _titles_in(question: str, pages: Sequence[TitledPage]) -> list[tuple[Span, TitledPage]]:
    """The pages whose titles are in the question, in its order, with the places: of titles that overlap the longest."""
    found: list[tuple[Span, TitledPage]] = []
    for page in pages:
        titles = (title for title in (page.title, page.title.partition(" (")[0]) if title)
        matches = (find_words(title, question) for title in titles)
        found += [(match.span(), page) for match in matches if match][:1]
    found.sort(key=lambda item: item[0][0] - item[0][1])
    apart: list[tuple[Span, TitledPage]] = []
    for (start, end), page in found:
        if all(end <= other[0] or other[1] <= start for other, _ in apart):
            apart.append(((start, end), page))
    return sorted(apart, key=lambda item: item[0])


def _with_linked_pages(
    page: TitledPage, pages: Sequence[TitledPage], subjects: Sequence[TitledPage]
) -> list[TitledPage]:
    """A page and, after it, the pages it names that the question does not, and that are not merely called like it."""
    others = (other for other in pages if other not in subjects)
    return [page, *(other for other in others if other.name <= page.words and not other.name <= page.name)]


def _pages_about(pages: Sequence[TitledPage], option: str) -> list[TitledPage]:
    """The page titled most like the option, or else the one that shares most words with it, and what it leads to."""
    if not pages:
        return []
    words = frozenset(content_words(option))

    def likeness(page: TitledPage) -> tuple[float, int]:
        return len(words & page.name) / (len(words | page.name) or 1), len(words & page.words)

    best = max(pages, key=likeness)
    return _with_linked_pages(best, pages, [best])


def _same_origin(question: str, sides: Sequence[Sequence[TitledPage]]) -> bool:
    """True if both sides come from one country, or, if the country is not asked or not told, from one place."""
    origins = [_countries(pages) for pages in sides] if _COUNTRY.search(question) else [set[str]()]
    if not all(origins):
        origins = [_places(pages[-1]) for pages in sides]
    return bool(origins[0] & origins[1])


def _countries(pages: Sequence[TitledPage]) -> set[str]:
    """The countries of the last page, told at its beginning if possible; if it tells none, those of the first."""
    texts = (pages[-1].opening, pages[-1].text, pages[0].text)
    return next((found for found in map(countries, texts) if found), set())


def _places(page: TitledPage) -> set[str]:
    """Names that say where something is from: the last ones after "in", "from" or "of" in the opening."""
    places = set[str]()
    for match in re.finditer(r"\b(?:in|from|of) (?:the )?((?:[^.;()]|\([^)]*\))*)", page.opening):
        places.update(name[0] for name in list(names(match[1]))[-1:])
    return places


def _life(pages: Sequence[TitledPage]) -> int | None:
    """The number of days somebody lived; None if it is not told."""
    dates = pages[0].dates if pages else []
    return dates[1] - dates[0] if len(dates) > 1 else None


def _date(question: str, pages: Sequence[TitledPage]) -> int | None:
    """The date the question compares: of birth, of death, or the first one of the page itself."""
    for page in reversed(pages if _MAKER.search(question) else pages[:1]):
        if page.dates:
            return page.dates[:2][-1] if _DEATH.search(question) else page.dates[0]
    return None


def _days(match: re.Match[str]) -> int:
    if match[5]:
        return int(match[5]) * 372
    return int(match[4]) * 372 + (_MONTHS.index(match[2].lower()) + 1) * 31 + int(match[1] or match[3] or 0)


def _share_present(pages: Sequence[TitledPage], words: set[str]) -> float:
    present = frozenset(content_words(" ".join(page.title for page in pages))).union(*(page.words for page in pages))
    return len(words & present) / len(words) if words else 0.0
