"""Questions of several hops made of single ones: a name in one becomes the question that it answers."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.english import content_words
from ...data import Question
from ...data.gold.whole_words import occurrences
from ...data.question import SubQuestion
from ...retrieval import Passage
from .described import WORD, is_of_longer_name, named
from .excerpts import excerpt
from .question_names import as_name
from .reading_items import ReadingItem
from .reading_lessons import UNTITLED, alike

LONGEST = 4
"""Hops."""
FURTHER = 0.7
"""The probability that a chain of questions becomes longer by one."""
OFTEN = 20
"""The most questions that go by the same name: some names are answered everywhere."""
WORDS = 110
"""The words shown of a paragraph, unless the sentence that counts is longer."""
TRIES = 4
"""Questions that are tried for the same name."""
_NAME = re.compile(r"(?=.{3,})[A-Z][^\d\W]")
_SUBJECT = re.compile(r"\b(?:is|was|are|were|did|does|do|has|had)(?: the)? $", re.I)


def composed_questions(items: Iterable[ReadingItem], most: int, seed: int = 0) -> list[Question]:
    """Questions of two to four hops, each made of items that stand on paragraphs of their own.

    Args:
        items: Single questions, each with a paragraph that answers it.
        most: The most questions to make; each item is the last hop of one at most.
        seed: The seed of what is drawn at random.
    """
    usable = [item for item in items if item.kind == "span" and len(item.supporting) == 1 and item.answers]
    random.Random(seed).shuffle(usable)
    by_answer: dict[str, list[ReadingItem]] = defaultdict(list)
    for item in usable:
        if _NAME.match(item.answers[0]):
            by_answer[item.answers[0]].append(item)
    made: list[Question] = []
    told: Counter[str] = Counter()
    for item in usable:
        if len(made) == most:
            break
        chain, text = _chain(item, by_answer, told, random.Random(f"{seed} {item.id}"))
        if len(chain) > 1:
            told.update(each.answers[0] for each in chain[:-1])
            made.append(_question(chain, text, random.Random(f"{seed} {item.id} pages")))
    return made


def _chain(
    last: ReadingItem, by_answer: Mapping[str, Sequence[ReadingItem]], told: Counter[str], dice: random.Random
) -> tuple[list[ReadingItem], str]:
    """The items that lead to this one, in order, and the question they make; the item alone where none does."""
    chain, text = [last], last.question
    asked = last.question
    while len(chain) < LONGEST and (len(chain) == 1 or dice.random() < FURTHER):
        item, name = next(_earlier(asked, chain, by_answer, told, dice), (None, ""))
        places = occurrences(text, [item.answers[0]]) if item else []
        if item is None or len(places) != 1:  # what is asked may have become part of a longer question
            break
        text = _put(text, places[0], name)
        chain, asked = [item, *chain], item.question
    return chain, text


def _earlier(
    asked: str,
    chain: Sequence[ReadingItem],
    by_answer: Mapping[str, Sequence[ReadingItem]],
    told: Counter[str],
    dice: random.Random,
) -> Iterator[tuple[ReadingItem, str]]:
    """The items that answer a name in what is asked, each with the question that can stand for the name."""
    for answer in dict.fromkeys(named(asked, by_answer)):
        places = occurrences(asked, [answer])
        if len(places) != 1 or told[answer] >= OFTEN or _is_of_more(asked, *places[0]):
            continue
        candidates = by_answer[answer]
        for item in dice.sample(candidates, min(TRIES, len(candidates))):
            name = as_name(item.question)
            if name and _leads_to(item, name, chain):
                yield item, name


def _is_of_more(asked: str, start: int, end: int) -> bool:
    """True if the name is only a part of one, or only describes what comes after it, as in "Swiss cuisine"."""
    after = WORD.match(asked, end + 1)
    describes = after and asked[end] == " " and content_words(after[0]) and not _SUBJECT.search(asked[:start])
    return bool(describes) or is_of_longer_name(asked, start, end)


def _leads_to(item: ReadingItem, name: str, chain: Sequence[ReadingItem]) -> bool:
    """True if the item tells nothing of what comes after it, and its paragraph is none of theirs."""
    answers = [answer for each in chain for answer in each.answers]
    page = item.supporting[0].text
    if occurrences(page, chain[-1].answers) or occurrences(name, [*answers, *item.answers]):
        return False
    return not any(alike(page, each.supporting[0].text) for each in chain)


def _put(text: str, span: tuple[int, int], name: str) -> str:
    """The text with a name in place of a span, and of the article before it."""
    before, after = text[: span[0]], text[span[1] :]
    if before.lower().endswith("the ") and name.startswith("the "):
        before = before[:-4]
    return before + (name if before else name[0].upper() + name[1:]) + after


def _question(chain: Sequence[ReadingItem], text: str, dice: random.Random) -> Question:
    titled = dice.random() >= UNTITLED
    pages, hops = [], []
    for place, item in enumerate(chain):
        paragraph = item.supporting[0]
        focus = paragraph.answers[0] if paragraph.answers else (0, 1)
        cut = paragraph.text[slice(*excerpt(paragraph.text, focus, WORDS, dice))].strip()
        page = Passage(f"{chain[-1].id} {place}", paragraph.title if titled else "", cut)
        pages.append(page)
        hops.append(SubQuestion(item.question, item.answers[0], page.id))
    return Question(
        id=f"composed {chain[-1].id}",
        question=text,
        answers=chain[-1].answers,
        supporting=tuple(page.id for page in pages),
        passages=tuple(pages),
        decomposition=tuple(hops),
        type="composed",
        hops=len(chain),
    )
