"""A page's definition of its subject: the words after "is" or "was" in one of its sentences."""

from __future__ import annotations

import re
from itertools import chain

from ...retrieval import Passage
from ..question import Question
from .gold_passages import supporting_and_others
from .page_names import is_person, names_of

_IS = re.compile(r"(?<!,)\b(?:is|was|are|were)\s+(?!born\b|also\b|not\b)(?=\w)")
_END = re.compile(
    r"[;.]?$|;|\s\(|,? (?:that|which|who|whose|where|when|and (?:is|was|has|had))\b|, (?=born|best|known|currently)"
)
LONGEST = 120
"""Characters of a definition; a longer one is cut where one of its parts ends."""


def definition(question: Question, page: Passage) -> tuple[str, str] | None:
    """The definition of a page's subject, word for word, and the sentence it is in; None if no sentence defines it.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.gold.definitions import definition
        >>> from multihop.retrieval import Passage
        >>> page = Passage("1", "Sid Haig", "Sid Haig (born July 14, 1939) is an American actor who lives in Ohio.")
        >>> definition(Question(id="q", question="?", answers=()), page)[0]
        'an American actor'
    """
    for sentence in chain(*supporting_and_others(question, page)):
        if verb := _IS.search(_blank_brackets(sentence)):
            rest = sentence[verb.end() :]
            end = _END.search(rest)
            words = _short(rest[: end.start()] if end and end.start() else rest.rstrip("."))
            if len(words) > 2:
                return words, sentence
    return None


def definition_question(page: Passage) -> str:
    """A question for the definition of a page's subject.

    Examples:
        >>> from multihop.data.gold.definitions import definition_question
        >>> from multihop.retrieval import Passage
        >>> definition_question(Passage("1", "Emma (novel)", "Emma is a novel by Jane Austen."))
        'What is Emma?'
    """
    return f"{'Who' if is_person(page) else 'What'} is {names_of(page)[0]}?"


def _blank_brackets(sentence: str) -> str:
    """The sentence, as long as before, without what is in brackets."""
    return re.sub(r"\([^()]*\)", lambda match: " " * len(match[0]), sentence)


def _short(words: str) -> str:
    words = words.strip().rstrip(",")
    if len(words) <= LONGEST:
        return words
    ends = [match.start() for match in re.finditer(r",? (?:and|by|for|in|of|to|with|from|at|on)\b|,", words[:LONGEST])]
    return words[: max(ends)] if ends else words[:LONGEST].rpartition(" ")[0]
