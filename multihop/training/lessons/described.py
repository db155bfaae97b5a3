"""Questions from paragraphs alone: a sentence that does not name a page but describes it, as that page itself does."""

import random
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from ...data import Question
from ...data.gold.definitions import definition
from ...data.gold.whole_words import occurrences
from ...retrieval import Passage
from .excerpts import spans_of
from .reading_items import ReadingItem, ReadParagraph

LONGEST_NAME = 6
"""Words of a page's name."""
OFTEN = 3
"""The most items that name the same page: a few pages are named everywhere."""
FEWEST = 8
"""Words of a sentence without the name."""
WORD = re.compile(r"\w[\w'’.-]*\w|\w")
_INDEFINITE = re.compile(r"(?:an?|one of) ")
_NAME_BEFORE = re.compile(r"(?:[A-Z][\w'’.-]*|\b[Tt]he|\bSt\.) $")
_NAME_AFTER = re.compile(r"['’]|,? [A-Z0-9(]|-")
_NOBODY = Question(id="", question="?", answers=())


def described_items(pages: Iterable[Passage], most: int, seed: int = 0) -> list[ReadingItem]:
    """Items whose question is a sentence of a page with another page's name put as that page's description.

    The sentence's own page answers it: the name is the answer.

    Args:
        pages: A corpus with titles.
        most: The most questions to make; one sentence of a page at most.
        seed: The seed of what is drawn at random.
    """
    every = list(pages)
    names = _described_names(every)
    random.Random(seed).shuffle(every)
    items: list[ReadingItem] = []
    told: Counter[str] = Counter()
    for page in every:
        if len(items) == most:
            break
        made = [item for item in _of_page(page, names) if told[item.answers[0]] < OFTEN]
        if made:
            items.append(random.Random(f"{seed} {page.id}").choice(made))
            told[items[-1].answers[0]] += 1
    return items


def _described_names(pages: Iterable[Passage]) -> dict[str, str]:
    """Each page's name with what the page says it is; names that several pages have are left out."""
    found: dict[str, str | None] = {}
    for page in pages:
        plain = len(page.name) > 3 and page.name == page.title and page.name[0].isupper()
        text, sentence = (plain and definition(_NOBODY, page)) or ("", "")
        if _INDEFINITE.match(text) and occurrences(sentence, [page.name]) and not occurrences(text, [page.name]):
            found[page.name] = None if found.get(page.name, text) != text else text
    return {name: text for name, text in found.items() if text}


def _of_page(page: Passage, names: Mapping[str, str]) -> Iterator[ReadingItem]:
    for start, end in spans_of(page.text):
        sentence = page.text[start:end]
        words = len(WORD.findall(sentence))
        for name in dict.fromkeys(named(sentence, names)):
            if name == page.name or words - len(name.split()) < FEWEST:
                continue
            (first, last), *others = occurrences(sentence, [name])
            if others or is_of_longer_name(sentence, first, last):
                continue
            question = sentence[:first] + names[name] + sentence[last:]
            answers = tuple(occurrences(page.text, [name]))
            paragraph = ReadParagraph(page.title, page.text, True, answers)
            yield ReadingItem(f"{page.id} {start} {name}", question, (name,), "span", (paragraph,), "described")


def is_of_longer_name(sentence: str, start: int, end: int) -> bool:
    """True if the name is only a part of one, as in "Los Angeles Times"; the first word of a sentence says nothing."""
    before = _NAME_BEFORE.search(sentence[:start])
    return bool(before and before.start() > 0) or bool(_NAME_AFTER.match(sentence[end:]))


def named(sentence: str, names: Container[str]) -> Iterator[str]:
    """The names that are in a sentence, the longest at each place."""
    words = [match.span() for match in WORD.finditer(sentence)]
    place = 0
    while place < len(words):
        sizes = range(min(LONGEST_NAME, len(words) - place), 0, -1)
        texts = (sentence[words[place][0] : words[place + size - 1][1]] for size in sizes)
        name = next((text for text in texts if text in names), None)
        if name:
            yield name
        place += len(name.split()) if name else 1
