"""Questions that compare: yes or no about two things, and which of two it is."""

import re
from collections.abc import Sequence

from ..encoder.sentences import Span
from .answer_span import names
from .countries import countries
from .overlap import Page, Reading, content_words, split_sentences

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_FULL_DATE = re.compile(
    rf"(?:(\d{{1,2}}) )?({'|'.join(_MONTHS)})(?: (\d{{1,2}}),?)?,? (\d{{3,4}})|\b([12]\d{{3}})\b", re.IGNORECASE
)
_SAME = re.compile(r"\bsame\b|\bboth from\b|\bshare\b")
_COUNTRY = re.compile(r"\b(?:country|countries|nation|nationality|nationalities)\b")
_LIVED_LONGER = re.compile(r"\blived (?:longer|the longest)\b|\blonger life\b")
_EARLY = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|elder)\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:later|latest|younger|youngest|last|after|recent|recently|newer|newest|second)\b", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:more|most|larger|largest|higher|highest|bigger|longer|longest|greater|taller)\b", re.IGNORECASE
)
_LESS = re.compile(r"\b(?:fewer|fewest|smaller|smallest|lower|lowest|shorter|less)\b", re.IGNORECASE)

Date = tuple[int, int, int]
"""Year, month, day; 0 for what is not told."""


def choose(reading: Reading, pair: Sequence[str]) -> str:
    """Which of two: by dates or numbers where the question asks for that, else by shared words."""
    about = [_pages_about(reading, option) for option in pair]
    places = [(at, at + len(each)) for each in pair if (at := reading.question.find(each)) >= 0]
    question = _without(reading.question, places)  # titles may hold "before" and the like
    if _LIVED_LONGER.search(question):
        lives = [_life(pages) for pages in about]
        if None not in lives:
            return max(zip(lives, pair, strict=True), key=lambda item: item[0] or 0)[1]
    if sign := (1 if _EARLY.search(question) else -1 if _LATE.search(question) else 0):
        found = [_date(reading, pages) for pages in about]
        if None not in found and found[0] != found[1]:
            return min(zip(found, pair, strict=True), key=lambda item: sign * _days(item[0]))[1]
    if sign := (-1 if _MORE.search(question) else 1 if _LESS.search(question) else 0):
        amounts = [_amount(pages) for pages in about]
        if None not in amounts:
            return min(zip(amounts, pair, strict=True), key=lambda item: sign * (item[0] or 0))[1]
    named = set(content_words(" ".join(pair)))
    shared = [_shared(reading, pages, named) for pages in about]
    return pair[0] if shared[0] >= shared[1] else pair[1]


def yes_or_no(reading: Reading) -> str:
    """Yes or no: for "the same ...", what the passages say of both sides; else whether each says it."""
    named = _subjects(reading)
    subjects = [page for page, _ in named[:2]]
    if len(subjects) < 2:
        subjects = list(range(len(reading.pages)))[:2]
    sides = [_with_reached(reading, index, subjects) for index in subjects]
    if len(sides) < 2:
        return "yes"
    if _SAME.search(reading.question):
        origins = [_countries(pages) for pages in sides] if _COUNTRY.search(reading.question) else [set()]
        if not all(origins):
            within = bool(re.search(r"\b(?:state|city|town|county|province|district|village)\b", reading.question))
            origins = [_origins(pages[-1], within=within) for pages in sides]
        return "yes" if origins[0] & origins[1] else "no"
    words = frozenset().union(*(reading.titles[index] for index in subjects))
    wanted = [word for word in reading.asked if word not in words]
    nations = countries(_without(reading.question, [place for _, place in named]))
    if not all(nations <= countries(pages[0].text) for pages in sides):
        return "no"
    held = [_held(pages, wanted) for pages in sides]
    return "yes" if wanted and min(held) >= 0.5 else "no"


def _subjects(reading: Reading) -> list[tuple[int, Span]]:
    """The pages whose titles stand in the question, and where: of titles that overlap the longest, in their order."""
    found = []
    for index, page in enumerate(reading.pages):
        titles = (title for title in (page.title, page.title.partition(" (")[0]) if title)
        matches = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", reading.question, re.IGNORECASE) for each in titles)
        found += [(index, match.span()) for match in matches if match][:1]
    found.sort(key=lambda item: item[1][0] - item[1][1])
    kept: list[tuple[int, Span]] = []
    for index, (start, end) in found:
        if all(end <= other[0] or other[1] <= start for _, other in kept):
            kept.append((index, (start, end)))
    if len(kept) < 2:  # titles may be spelled otherwise
        placed = dict(kept)
        kept += [(index, (0, 0)) for index, named in enumerate(reading.named) if named and index not in placed]
    return sorted(kept, key=lambda item: item[1])


def _without(text: str, spans: Sequence[Span]) -> str:
    """The text with these stretches cut out."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _opening(page: Page) -> str:
    """The first two sentences, which say what a page is about."""
    return " ".join(split_sentences(page.text)[:2])


def _countries(pages: Sequence[Page]) -> set[str]:
    """The countries of the last page, told at its beginning if possible; if it tells none, those of the first."""
    texts = (_opening(pages[-1]), pages[-1].text, pages[0].text)
    return next((found for found in map(countries, texts) if found), set())


def _with_reached(reading: Reading, index: int, subjects: Sequence[int]) -> list[Page]:
    """A page and, after it, the pages it names that the question does not, and that are not merely called like it."""
    text = frozenset(content_words(reading.pages[index].text))
    linked = [
        page
        for other, page in enumerate(reading.pages)
        if other not in subjects
        and reading.titles[other] <= text
        and not reading.titles[other] <= reading.titles[index]
    ]
    return [reading.pages[index], *linked]


def _pages_about(reading: Reading, option: str) -> list[Page]:
    """The page titled like the option and what it leads to, or else the one that shares most words with it."""
    words = frozenset(content_words(option))
    fits = [len(words & title) / (len(words | title) or 1) for title in reading.titles]
    if not fits:
        return []
    best = max(
        range(len(fits)),
        key=lambda index: (
            reading.pages[index].title.lower() == option.lower(),
            fits[index],
            len(words & frozenset(content_words(reading.pages[index].text))),
        ),
    )
    return _with_reached(reading, best, [best])


def _dates(page: Page) -> list[Date]:
    """The dates at the beginning of a page: for a person, of birth and of death."""
    return [_parsed(match) for match in _FULL_DATE.finditer(_opening(page))]


def _life(pages: Sequence[Page]) -> int | None:
    """How many days somebody lived."""
    dates = _dates(pages[0]) if pages else []
    return _days(dates[1]) - _days(dates[0]) if len(dates) > 1 else None


def _date(reading: Reading, pages: Sequence[Page]) -> Date | None:
    """The date the question compares: of birth, of death, or the first one of the page itself."""
    about_death = re.search(r"\b(?:died|death|die)\b", reading.question)
    of_maker = re.search(r"\b(?:directors?|composers?|performers?|authors?|whose)\b", reading.question)
    through = pages if of_maker else pages[:1]
    for page in reversed(through):
        if dates := _dates(page):
            return dates[min(1, len(dates) - 1)] if about_death else dates[0]
    return None


def _parsed(match: re.Match[str]) -> Date:
    if match[5]:
        return int(match[5]), 0, 0
    return int(match[4]), _MONTHS.index(match[2].lower()) + 1, int(match[1] or match[3] or 0)


def _days(date: Date | None) -> int:
    year, month, day = date or (0, 0, 0)
    return year * 372 + month * 31 + day


def _amount(pages: Sequence[Page]) -> float | None:
    numbers = re.findall(r"(?<![\d,.])(?!(?:1[5-9]|20)\d\d\b)\d[\d,]*(?:\.\d+)?", pages[0].text) if pages else []
    return max((float(number.replace(",", "")) for number in numbers), default=None)


def _origins(page: Page, *, within: bool) -> set[str]:
    """Names that say where something is from: after "is a", and the last ones after "in", "from" or "of"."""
    opening = _opening(page)
    found = set()
    if not within:
        described = re.compile(r"\b(?:is|was) an? (?:\d{4} )?$")
        found = {match[0].split()[0] for match in names(opening) if described.search(opening[: match.start()])}
    for match in re.finditer(r"\b(?:in|from|of) (?:the )?((?:[^.;()]|\([^)]*\))*)", opening):
        found.update(name[0] for name in list(names(match[1]))[-1:])
    return found


def _shared(reading: Reading, pages: Sequence[Page], named: set[str]) -> float:
    held = frozenset(content_words(" ".join(page.text for page in pages)))
    return sum(reading.weights[word] for word in reading.asked if word not in named and word in held)


def _held(pages: Sequence[Page], wanted: Sequence[str]) -> float:
    held = frozenset(content_words(" ".join(f"{page.title} {page.text}" for page in pages)))
    return sum(word in held for word in wanted) / len(wanted) if wanted else 0.0
