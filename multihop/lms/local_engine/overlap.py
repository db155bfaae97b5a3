"""Overlap of passages with a question: shared words, names, and the way from one passage to the next; and follow-ups
that are made to stand alone by putting names in the place of the pronouns that point back to them.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ...base.english import content_words, split_sentences, split_title, stem

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
