"""A question's gold in the order in which it is found, and where in the paragraphs it is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..base.sentences import Span
from ..data import Question
from ..retrieval import Passage

_DATE = re.compile(r"^(?:([A-Z][a-z]+) (\d{1,2})|(\d{1,2}) ([A-Z][a-z]+)),? (\d{3,4})$")


class Found(NamedTuple):
    """One gold paragraph, and what it contributes."""

    passage: str
    """As a prompt shows it, "title | text"."""
    said: tuple[str, ...]
    """What in it answers its part of the question: a name that leads on, or the answer."""
    asked: str = ""
    """The single question it answers, where the set tells."""
    sentences: tuple[str, ...] = ()
    """Its supporting sentences, where the set tells."""


def gold_path(question: Question, by_name: Mapping[str, Sequence[Passage]]) -> list[Found]:
    """The gold paragraphs, those that lead to others first; empty where one of them is not to be had.

    Args:
        question: Its paragraphs are its own, or those of the titles it names.
        by_name: All paragraphs there are, by id and by title.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.optimize.gold import gold_path
        >>> from multihop.retrieval import Passage
        >>> pages = Passage("1", "Jane Austen", "She was born in Steventon."), Passage("2", "Emma", "By Jane Austen.")
        >>> asked = "Where was the author of Emma born?"
        >>> question = Question(id="q", question=asked, answers=("Steventon",), supporting=("1", "2"), passages=pages)
        >>> [(found.passage, found.said) for found in gold_path(question, by_name={})]
        [('Emma | By Jane Austen.', ('Jane Austen',)), ('Jane Austen | She was born in Steventon.', ('Steventon',))]
    """
    own = {passage.id: passage for passage in question.passages}
    if question.passages:
        gold = [own[name] for name in question.supporting if name in own]
        hops = list(single_hops(question, gold))
        if len(gold) < len(question.supporting):
            return []
    else:
        hops = list(single_hops(question, looked_up(question, by_name)))
        gold = list(dict.fromkeys(passage for passage, _, _ in hops))
        if len(hops) < len(question.decomposition) or len(gold) < len(question.supporting):
            return []
    if not hops:
        gold = sorted(gold, key=lambda passage: -_leads(passage, gold))
    else:
        order = {passage.id: place for place, (passage, _, _) in reversed(list(enumerate(hops)))}
        gold.sort(key=lambda passage: order.get(passage.id, len(order)))
    return [_found(question, passage, gold, [hop for hop in hops if hop[0] == passage]) for passage in gold]


def looked_up(question: Question, by_name: Mapping[str, Sequence[Passage]]) -> list[Passage]:
    """For each hop of a question without paragraphs of its own, those of the title it names that hold its answer."""
    names = [(hop.passage, hop.answer) for hop in question.decomposition if hop.passage]
    names += [(name, hop.answer) for hop in question.decomposition if hop.triple for name in question.supporting]
    return [page for name, answer in names for page in by_name.get(name, ()) if occurrences(page.text, [answer])]


def single_hops(question: Question, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str, str]]:
    """Each hop that one of the passages answers: the passage, the single question, and its answer."""
    for hop in question.decomposition:
        subject, relation, _ = hop.triple or ("", "", "")
        fitting = (
            each
            for each in passages
            if (hop.passage in (each.id, each.title) if hop.passage else each.name.lower() == subject.lower())
            and occurrences(each.text, [hop.answer])
        )
        if passage := next(fitting, None):
            asked = hop.question.replace(" >> ", " ") or f"What is the {relation} of {subject}?"
            yield passage, asked, hop.answer


def occurrences(text: str, phrases: Iterable[str]) -> list[Span]:
    """Where any of the phrases is in the text as whole words, whatever the case; dates in either order.

    Examples:
        >>> from multihop.optimize.gold import occurrences
        >>> occurrences("Born 5 October 1987 in Rome.", ["October 5, 1987", "rome"])
        [(5, 19), (23, 27)]
    """
    found = {
        (match.start(), match.end())
        for phrase in phrases
        for wording in _wordings(phrase.strip())
        for match in re.finditer(rf"(?<!\w){re.escape(wording)}(?!\w)", text, re.IGNORECASE)
    }
    return sorted(found)


def _wordings(phrase: str) -> list[str]:
    if date := _DATE.match(phrase):
        month, day, year = date[1] or date[4], date[2] or date[3], date[5]
        return [f"{month} {day}, {year}", f"{day} {month} {year}", f"{day} {month}, {year}", f"{month} {day} {year}"]
    return [phrase] if phrase else []


def _leads(passage: Passage, gold: Sequence[Passage]) -> int:
    """How many of the other paragraphs this one names, less how many name it."""
    others = [each for each in gold if each != passage]
    names = sum(bool(occurrences(passage.text, [each.name])) for each in others)
    return names - sum(bool(occurrences(each.text, [passage.name])) for each in others)


def _found(
    question: Question, passage: Passage, gold: Sequence[Passage], hops: Sequence[tuple[Passage, str, str]]
) -> Found:
    asked = question.question.lower()
    names = [each.name.lower() for each in gold if each != passage]
    links = [name for name in names if name and name not in asked]
    said = [answer for _, _, answer in hops]
    said += [link for link in links if occurrences(passage.text, [link])]
    said += [answer for answer in question.answers if occurrences(passage.text, [answer])]
    split = dict(zip((each.id for each in question.passages), question.sentences, strict=False)).get(passage.id, ())
    places = [place for name, place in question.supporting_sents if name == passage.id]
    return Found(
        str(passage),
        tuple(dict.fromkeys(_as_written(passage.text, each) for each in said)),
        hops[0][1] if hops else "",
        tuple(split[place].strip() for place in places if place < len(split)),
    )


def _as_written(text: str, phrase: str) -> str:
    found = occurrences(text, [phrase])
    return text[slice(*found[0])] if found else phrase
