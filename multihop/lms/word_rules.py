"""Rules of words: what passages share with a question, names for pronouns, yes or no, and which of two things."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ..base.english import Span, content_words, split_sentences, split_title, stem
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
_NAME_WORD = re.compile(r"(?<=[a-z,;(] )[A-Z][a-z]{3,}")

_PERSON = re.compile(r"he|she|him|her|his|hers|they|them|their|theirs")
_POINTING = re.compile(rf"\b(?:{_PERSON.pattern}|it|its)\b", re.IGNORECASE)
_OWNER = re.compile(r"(?:his|hers|its|their|theirs)\b|her (?!(?:in|at|on|to|by|with|from|for|of|and|or|as)\b)\w")


def names(text: str) -> Iterator[re.Match[str]]:
    """Every capitalised name in a text, without the word that merely opens the sentence."""
    for match in _NAME.finditer(text):
        opener = match[0].partition(" ")[0]
        if opener not in _OPENERS:
            yield match
        elif " " in match[0] and (rest := _NAME.search(text, match.start() + len(opener), match.end())):
            yield rest


class Sentence(NamedTuple):
    """One sentence with the passage it is from."""

    text: str
    stems: frozenset[str]
    names: frozenset[str]
    """The stems of its capitalised words, its opening word left out."""
    passage: int
    """Index of its passage."""
    place: int
    """Index within its passage."""


class TitledPage(NamedTuple):
    """A passage read as a title and sentences."""

    title: str
    text: str


class Step(NamedTuple):
    """The way from the question to a passage."""

    hop: int
    """0 where the question names the passage, 1 where such a passage names it, and so on; -1 where nothing does."""
    words_used: frozenset[str]
    """The asked words used up on the way."""


class PassageReading:
    """A question laid over some passages: what is shared, what is rare, what leads where."""

    def __init__(self, question: str, passages: Iterable[str]) -> None:
        self.question = question
        self.pages = [TitledPage(*split_title(passage)) for passage in passages]
        self.question_words = list(dict.fromkeys(content_words(question)))

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Every sentence of every passage, in order."""
        return [
            Sentence(text, frozenset(content_words(text)), frozenset(map(stem, _NAME_WORD.findall(text))), page, place)
            for page, passage in enumerate(self.pages)
            for place, text in enumerate(split_sentences(passage.text))
        ]

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each asked word: the fewer sentences hold it, the more."""
        counts = Counter(word for sentence in self.sentences for word in sentence.stems)
        return {word: math.log(1 + (len(self.sentences) + 1) / (counts[word] + 0.5)) for word in self.question_words}

    @cached_property
    def titles(self) -> list[frozenset[str]]:
        """The words of each passage's title, without what is in brackets or after a comma."""
        return [frozenset(content_words(re.split(r"\s*\(|, ", page.title)[0])) for page in self.pages]

    @cached_property
    def named(self) -> list[bool]:
        """For each passage, True if the question names its title."""
        words = set(self.question_words)
        return [bool(title) and title <= words for title in self.titles]

    @cached_property
    def steps(self) -> list[Step]:
        """The way to each passage: from those the question names, along sentences that name the next one.

        A sentence leads to a passage whose title it holds; where none does, to one that shares a name with it.
        """
        words = frozenset(self.question_words)
        steps = [Step(0 if named else -1, frozenset()) for named in self.named]
        frontier = [page for page, named in enumerate(self.named) if named]
        added = [self._names(page) - words for page in range(len(self.pages))]
        for start in frontier:  # grows while it is read: breadth first
            for leads in (self._holds_title, lambda sentence, page: bool(sentence.names & added[page])):
                for sentence in self.sentences_of(start):
                    for page, step in enumerate(steps):
                        if step.hop < 0 and leads(sentence, page):
                            words_used = steps[start].words_used | self.titles[start] | (sentence.stems & words)
                            steps[page] = Step(steps[start].hop + 1, words_used)
                            frontier.append(page)
        return steps

    def sentences_of(self, page: int) -> list[Sentence]:
        """The sentences of one passage."""
        return [sentence for sentence in self.sentences if sentence.passage == page]

    def _names(self, page: int) -> frozenset[str]:
        return frozenset[str]().union(*(sentence.names for sentence in self.sentences_of(page)))

    def _holds_title(self, sentence: Sentence, page: int) -> bool:
        return bool(self.titles[page]) and self.titles[page] <= sentence.stems

    def words_left(self, page: int) -> list[str]:
        """The asked words not yet used up on the way to a passage; all of them where nothing would be left."""
        return [word for word in self.question_words if word not in self.steps[page].words_used] or self.question_words

    def overlap(self, sentence: Sentence) -> float:
        """The share of the weight of the words left to ask that a sentence holds, 0 to 1."""
        left = self.words_left(sentence.passage)
        whole = sum(self.weights[word] for word in left) or 1.0
        return sum(self.weights[word] for word in left if word in sentence.stems) / whole


def full_question(conversation: Sequence[str], question: str) -> str:
    """The question with names for its pronouns, as far as the conversation ("question -> answer", latest last) has any.

    A person is the last answer to a question that begins with "who", else the first name of the last question; a thing
    is the last answer to another question, else the same. Who is a woman and who a man is not known.
    """
    people: list[str] = []
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
_AUXILIARY = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_SMALL = "a an and at by de del for from in la of on or the to with"
_INSIDE_TITLES = frozenset(_SMALL.split())
_WORD = re.compile(r"[^\W_]\S*")
_TAIL = re.compile(
    r",? (?:(?:is|was|were|has) )?(?:(?:born|founded|formed|released|opened|happens?|happened|comes?|came) )?"
    r"(?:first|earlier|later|older|younger|(?:further|farther) (?:north|east|south|west))$"
)
_AFTER_LEAD_IN = re.compile(r"^[^,:]*[,:] ?(?:either |the |both )?(.+?),? or (?:the )?(.+)$")

YearMonthDay = tuple[int, int, int]
"""Year, month, day; 0 for what is not told."""


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
    for pattern in (
        r"(?:^|[,:] |\b(?:of|between|out of|is|was|than) )(?:(?:either|the|both) )?([^,:]+?),? or (?:the )?([^,]+?)$",
        r"\b(?:[Bb]etween|out of|[Oo]f) (?:(?:the|both|either) )?([^,]+?) (?:and|or) ([^,]+?)(?:,.*)?$",
        r"([A-Z\"][^,]*?),? or ([^,?]+)",
    ):
        match = re.search(pattern, text)
        if match and re.search(r"[A-Z\d]", match[1]) and re.search(r"[A-Z\d]", match[2]):
            return _trim(match[1]), _trim(match[2])
    return None


def _is_title(option: str) -> bool:
    """True if every word is written as titles write it, some of them with a capital."""
    words = _WORD.findall(option)
    small = [word for word in words if word[0].islower()]
    return len(small) < len(words) and _INSIDE_TITLES.issuperset(small)


def _trim(option: str) -> str:
    """The option without the question words before it."""
    option = option.strip()
    if not re.match(
        r"(?:which|what|who|whom|whose|when|where|is|are|was|were|do|does|did|has|have)\b", option, re.IGNORECASE
    ):
        return option
    words = option.split()
    lower = [index for index, word in enumerate(words) if word[0].islower() and word not in _INSIDE_TITLES]
    begins = lower[-1] + 1 if lower else int(bool(_AUXILIARY.match(option)))
    return " ".join(words[begins:]) or option


def choose(reading: PassageReading, pair: Sequence[str]) -> str:
    """The chosen one of two: by dates if the question asks for that, else by shared words."""
    about = [_pages_about(reading, option) for option in pair]
    places = [(at, at + len(each)) for each in pair if (at := reading.question.find(each)) >= 0]
    question = _without(reading.question, places)  # titles may hold "before" and the like
    for compared in (_lives, _dates_asked_for):
        values = compared(question, reading, about)
        if values is not None:
            return pair[0] if values[0] >= values[1] else pair[1]
    title_words = set(content_words(" ".join(pair)))
    shared = [_shared_weight(reading, pages, title_words) for pages in about]
    return pair[0] if shared[0] >= shared[1] else pair[1]


def _lives(question: str, reading: PassageReading, about: Sequence[Sequence[TitledPage]]) -> list[float] | None:
    """The length of each life, if the question asks for it and the passages give it for both; else None."""
    if not _LIVED_LONGER.search(question):
        return None
    return _of_both(_life(pages) for pages in about)


def _dates_asked_for(
    question: str, reading: PassageReading, about: Sequence[Sequence[TitledPage]]
) -> list[float] | None:
    """The date of each, the one asked for as the higher number, where the two differ."""
    sign = -1 if _EARLY.search(question) else 1 if _LATE.search(question) else 0
    if not sign:
        return None
    dates = [_date(reading, pages) for pages in about]
    return None if dates[0] == dates[1] else _of_both(None if date is None else sign * _days(date) for date in dates)


def _of_both(values: Iterable[float | None]) -> list[float] | None:
    """The values, unless one is missing."""
    both = list(values)
    numbers = [value for value in both if value is not None]
    return numbers if len(numbers) == len(both) else None


def yes_or_no(reading: PassageReading) -> str:
    """Yes or no: for "the same ...", what the passages say of both sides; else whether each says it."""
    placed = _subjects(reading)
    subjects = [page for page, _ in placed[:2]]
    if len(subjects) < 2:
        subjects = list(range(len(reading.pages)))[:2]
    sides = [_with_linked_pages(reading, index, subjects) for index in subjects]
    if len(sides) < 2:
        return "yes"
    if _SAME.search(reading.question):
        return "yes" if _same_origin(reading.question, sides) else "no"
    return "yes" if _each_says_it(reading, sides, subjects, [place for _, place in placed]) else "no"


def _each_says_it(
    reading: PassageReading, sides: Sequence[Sequence[TitledPage]], subjects: Sequence[int], names: Sequence[Span]
) -> bool:
    """True if the passages of each side say what the question says beyond both names."""
    title_words = frozenset().union(*(reading.titles[index] for index in subjects))
    words = [word for word in reading.question_words if word not in title_words]
    nations = countries(_without(reading.question, names))
    if not all(nations <= countries(pages[0].text) for pages in sides):
        return False
    return bool(words) and min(_share_present(pages, words) for pages in sides) >= 0.5


def _same_origin(question: str, sides: Sequence[Sequence[TitledPage]]) -> bool:
    """True if both sides come from one country, or, if the country is not asked or not told, from one place."""
    origins = [_countries(pages) for pages in sides] if _COUNTRY.search(question) else [set()]
    if not all(origins):
        within = bool(re.search(r"\b(?:state|city|town|county|province|district|village)\b", question))
        origins = [_origins(pages[-1], within=within) for pages in sides]
    return bool(origins[0] & origins[1])


def _subjects(reading: PassageReading) -> list[tuple[int, Span]]:
    """The pages whose titles are in the question, and where: of titles that overlap the longest, in their order."""
    matched = []
    for index, page in enumerate(reading.pages):
        titles = (title for title in (page.title, page.title.partition(" (")[0]) if title)
        matches = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", reading.question, re.IGNORECASE) for each in titles)
        matched += [(index, match.span()) for match in matches if match][:1]
    matched.sort(key=lambda item: item[1][0] - item[1][1])
    subjects: list[tuple[int, Span]] = []
    for index, (start, end) in matched:
        if all(end <= other[0] or other[1] <= start for _, other in subjects):
            subjects.append((index, (start, end)))
    if len(subjects) < 2:  # titles may be spelled otherwise
        placed = dict(subjects)
        subjects += [(index, (0, 0)) for index, named in enumerate(reading.named) if named and index not in placed]
    return sorted(subjects, key=lambda item: item[1])


def _without(text: str, spans: Sequence[Span]) -> str:
    """The text with these stretches cut out."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _opening(page: TitledPage) -> str:
    """The first two sentences, which say what a page is about."""
    return " ".join(split_sentences(page.text)[:2])


def _countries(pages: Sequence[TitledPage]) -> set[str]:
    """The countries of the last page, told at its beginning if possible; if it tells none, those of the first."""
    texts = (_opening(pages[-1]), pages[-1].text, pages[0].text)
    return next((found for found in map(countries, texts) if found), set())


def _with_linked_pages(reading: PassageReading, index: int, subjects: Sequence[int]) -> list[TitledPage]:
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


def _pages_about(reading: PassageReading, option: str) -> list[TitledPage]:
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
    return _with_linked_pages(reading, best, [best])


def _dates(page: TitledPage) -> list[YearMonthDay]:
    """The dates at the beginning of a page: for a person, of birth and of death."""
    return [_read_date(match) for match in _FULL_DATE.finditer(_opening(page))]


def _life(pages: Sequence[TitledPage]) -> int | None:
    """The number of days somebody lived; None if it is not told."""
    dates = _dates(pages[0]) if pages else []
    return _days(dates[1]) - _days(dates[0]) if len(dates) > 1 else None


def _date(reading: PassageReading, pages: Sequence[TitledPage]) -> YearMonthDay | None:
    """The date the question compares: of birth, of death, or the first one of the page itself."""
    about_death = re.search(r"\b(?:died|death|die)\b", reading.question)
    of_maker = re.search(r"\b(?:directors?|composers?|performers?|authors?|whose)\b", reading.question)
    through = pages if of_maker else pages[:1]
    for page in reversed(through):
        if dates := _dates(page):
            return dates[min(1, len(dates) - 1)] if about_death else dates[0]
    return None


def _read_date(match: re.Match[str]) -> YearMonthDay:
    if match[5]:
        return int(match[5]), 0, 0
    return int(match[4]), _MONTHS.index(match[2].lower()) + 1, int(match[1] or match[3] or 0)


def _days(date: YearMonthDay | None) -> int:
    year, month, day = date or (0, 0, 0)
    return year * 372 + month * 31 + day


def _origins(page: TitledPage, *, within: bool) -> set[str]:
    """Names that say where something is from: after "is a", and the last ones after "in", "from" or "of"."""
    opening = _opening(page)
    origins = set()
    if not within:
        described = re.compile(r"\b(?:is|was) an? (?:\d{4} )?$")
        origins = {match[0].split()[0] for match in names(opening) if described.search(opening[: match.start()])}
    for match in re.finditer(r"\b(?:in|from|of) (?:the )?((?:[^.;()]|\([^)]*\))*)", opening):
        origins.update(name[0] for name in list(names(match[1]))[-1:])
    return origins


def _shared_weight(reading: PassageReading, pages: Sequence[TitledPage], title_words: set[str]) -> float:
    present = frozenset(content_words(" ".join(page.text for page in pages)))
    return sum(reading.weights[word] for word in reading.question_words if word not in title_words and word in present)


def _share_present(pages: Sequence[TitledPage], words: Sequence[str]) -> float:
    present = frozenset(content_words(" ".join(f"{page.title} {page.text}" for page in pages)))
    return sum(word in present for word in words) / len(words) if words else 0.0
