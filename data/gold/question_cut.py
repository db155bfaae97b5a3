"""A question cut in two where one paragraph ends and the next begins.

One part asks for the name that leads on, the other asks of that name what the question wants to know. Both are made of
the question's own words, so that neither tells what only a paragraph can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...base.english import content_words
from ...retrieval import Passage
from ..question import Question
from .gold_passages import sentences_of, supporting_or_all
from .page_names import is_person, name_in, names_of
from .whole_words import as_written, occurrences, unaccented

_TOKEN = re.compile(r"\w+(?:[.'’&/-]\w+)*(?:['’]s)?|[^\w\s]")
_ASKING = frozenset(("who", "whom", "whose", "what", "which", "when", "where", "how", "why"))
_RELATIVE = frozenset(("who", "that", "which", "whose", "whom", "where"))
_ARTICLES = frozenset(("the", "a", "an", "this", "these"))
_HELPING = "is was are were do does did has have had can could will would"
_AUXILIARY = frozenset(_HELPING.split())
_LINKING = (
    "of in by with for from on at to about as under near and or that into featuring including starring during between "
    "his her its their"
)
_BEFORE = _ARTICLES | _ASKING | _AUXILIARY | frozenset(_LINKING.split())
"""A phrase does not end with one of these words."""
_VERB = re.compile(
    r"\w+ed|born|known|built|made|(?:die|play|win|appear|attend|work|live|serve|star|make|write|take|have|host|belong)s?"
)
"""A verb that may follow a phrase, and does not end one but after "was"."""


_ASKED = "name profession occupation nationality nickname population date year genre position number city country"
_ATTRIBUTES = frozenset(_ASKED.split())
"""Nouns that name an attribute; such a noun is asked for, and does not itself lead on."""


class Token(NamedTuple):
    """A word or a mark of the question."""

    text: str
    start: int
    end: int
    weight: float
    """Above 0 where the first page speaks of it, below 0 where the last does."""
    inner: bool
    """True if it continues the name of a page."""

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()


class Cut(NamedTuple):
    """One way to cut."""

    score: float
    """The likelihood that it is the right one, to be compared with other cuts'."""
    first_part: str
    second_part: str


def cut_question(
    question: Question, first: Passage, last: Passage, name: str, about: Passage | None
) -> tuple[str, str]:
    """Two questions made of one: the first asks the first page for the name, the second asks about that name.

    Args:
        question: Its words are used.
        first: The page that holds the name.
        last: The page that holds the answer.
        name: The name that leads from the first page to the last.
        about: The page whose name it is, where it is one's.

    Examples:
        >>> from multihop.data import Question
        >>> from multihop.data.gold.question_cut import cut_question
        >>> from multihop.retrieval import Passage
        >>> first = Passage("1", "2007 World Cup", "Agüero was given the Golden Shoe of the 2007 World Cup.")
        >>> last = Passage("2", "Sergio Agüero", "He is a footballer who plays in the position of a striker.")
        >>> asked = "What position did the receiver of the 2007 World Cup Golden Shoe play?"
        >>> question = Question(id="q", question=asked, answers=("striker",))
        >>> cut_question(question, first, last, "Sergio Agüero", last)
        ('Who is the receiver of the 2007 World Cup Golden Shoe?', 'What position did Sergio Agüero play?')
    """
    cutting = _Cutting(question, first, last, name, about)
    if any(as_written(name, answer) or as_written(answer, name) for answer in question.answers):
        return cutting.apart()[0], question.question  # what both pages are about is the answer
    cuts = (cut for cut in (*cutting.phrases(), *cutting.clauses()) if cut.first_part != _sentence(cutting.text))
    best = max(cuts, key=lambda cut: cut.score, default=None)
    return (best.first_part, best.second_part) if best and best.score > 0 else cutting.apart()


@dataclass
class _Cutting:
    """The ways to cut one question."""

    question: Question
    first: Passage
    last: Passage
    name: str
    about: Passage | None

    def __post_init__(self) -> None:
        self.text = " ".join(self.question.question.split())
        here, there = (self._words_of(page) for page in (self.first, self.last))
        own, others = (
            {word for each in names_of(page)[:2] for word in content_words(each)} for page in (self.first, self.last)
        )
        spans = [span for page in (self.first, self.last) for span in occurrences(self.text, names_of(page)[:2])]
        self.tokens: list[Token] = []
        for match in _TOKEN.finditer(self.text):
            words = set(content_words(match[0]))
            weight = float(bool(words & here)) - float(bool(words & there))
            weight += 1.5 * bool(words & (own - others)) - 1.5 * bool(words & (others - own))
            inner = any(start < match.start() < end for start, end in spans)
            self.tokens.append(Token(match[0], match.start(), match.end(), weight if words else 0.0, inner))
        self.total = sum(token.weight for token in self.tokens)
        self.right = self._kind(self.about) if self.about else set()
        self.wrong = (self._kind(self.first) | self._kind(self.last)) - self.right if self.about else set()

    def _words_of(self, page: Passage) -> set[str]:
        """The words of a page's supporting sentences, or of all its sentences if none supports."""
        texts = (page.title, *supporting_or_all(self.question, page))
        return {word for each in texts for word in content_words(unaccented(each))}

    def _kind(self, page: Passage) -> set[str]:
        """The words of a page's first sentence, which tells its subject."""
        return {word for each in sentences_of(self.question, page)[:1] for word in content_words(each)}

    def phrases(self) -> Iterator[Cut]:
        """Cuts that take a noun phrase out, "the receiver of the ...", and put the name in its place."""
        for start in range(len(self.tokens)):
            if not self._begins(start):
                continue
            for end in range(start + 2, len(self.tokens) + 1):
                if self.tokens[end - 1].text in "?." or self.tokens[end - 1].low in _ASKING - _RELATIVE:
                    break
                yield from self._phrase(start, end)

    def _begins(self, start: int) -> bool:
        """True if a noun phrase can begin here: with an article, or with a name that owns something."""
        tokens = self.tokens
        if tokens[start].low in _ARTICLES:
            return not tokens[start].inner
        if not tokens[start].text[0].isupper() or start == 0 or tokens[start - 1].text[0].isupper():
            return False
        return any(
            re.search(r"['’]s$", token.text) and all(each.text[0].isupper() for each in tokens[start : start + n])
            for n, token in enumerate(tokens[start : start + 5])
        )

    def _phrase(self, start: int, end: int) -> Iterator[Cut]:
        tokens = self.tokens
        inside, outside = tokens[start:end], tokens[:start] + tokens[end:]
        phrase = self.text[inside[0].start : inside[-1].end]
        gain = sum(token.weight for token in inside)
        asks = any(token.low in _ASKING for token in outside)
        if gain <= 0 or not asks or not self._may_end(end) or phrase.count('"') % 2:
            return
        if start == 0 and not (tokens[end].low in _AUXILIARY or _VERB.fullmatch(tokens[end].text)):
            return
        head = self._head(start + 1, end)
        if tokens[head].low in _ATTRIBUTES or (
            tokens[max(0, start - 1)].low in ("do", "does", "did")
            and not (end < len(tokens) and _VERB.fullmatch(tokens[end].text))
        ):
            return
        if all(token.inner or as_written(self.first.title, token.text) for token in tokens[start + 1 : head + 1]):
            return  # it only names the first page again
        if [each.low for each in tokens[max(0, start - 2) : start]] == ["one", "of"]:
            start -= 2
            phrase = self.text[tokens[start].start : inside[-1].end]
        before, after = self.text[: tokens[start].start], self.text[inside[-1].end :]
        score = 2 * gain - self.total + self._fits(tokens[head]) - 0.02 * start + 0.001 * end
        yield Cut(score, self._ask_for(phrase), _sentence(f"{before}{self.name}{after}"))

    def _head(self, start: int, end: int) -> int:
        """The place of the noun that a phrase is about: the last word before it is described further."""
        for place in range(start, end):
            word = self.tokens[place].low
            if place > start and (word in _BEFORE or not re.match(r"\w", word) or _opener(self.tokens, place)):
                return place - 1
        return end - 1

    def _fits(self, head: Token) -> float:
        """A score: high if the noun fits the page with the name, low if it fits the other page instead."""
        words = set(content_words(head.text))
        return 2.0 * bool(words & self.right) - 2.0 * bool(words & self.wrong) - head.weight

    def _may_end(self, end: int) -> bool:
        """True if a phrase can end before this place: not inside a name, and not between words that belong together."""
        last = self.tokens[end - 1]
        if last.low in _BEFORE or not re.match(r"\w", last.text):
            return False
        if _VERB.fullmatch(last.text) and self.tokens[end - 2].low not in _AUXILIARY:
            return False
        if end == len(self.tokens):
            return True
        after = self.tokens[end]
        if after.inner or after.low in ("of", "or", "and") or after.text in "'-(":
            return False
        return after.low in _BEFORE or after.text in ',.?;:)"' or bool(_VERB.fullmatch(after.text))

    def _ask_for(self, phrase: str) -> str:
        first, _, rest = phrase.partition(" ")
        if first.lower() in _ARTICLES:
            phrase = f"the {rest}"
        person = self.about is not None and is_person(self.about)
        return f"{'Who' if person else 'What'} is {phrase}?"

    def clauses(self) -> Iterator[Cut]:
        """Cuts after "... a university", before "located in what city?"."""
        tokens = self.tokens
        asking = next((place for place, token in enumerate(tokens) if self._asks(place)), 0)
        for place in range(3, asking + 1):
            opener = _opener(tokens, place)
            article = next((n for n in range(place - 1, -1, -1) if tokens[n].low in _ARTICLES), None)
            if not opener or article is None or article == place - 1 or tokens[place].inner:
                continue
            between = tokens[article + 1 : place]
            if any(not re.match(r"\w", token.text) or token.low in _BEFORE for token in between):
                continue
            score = 2 * sum(token.weight for token in tokens[:place]) - self.total + self._fits(between[-1])
            noun = self.text[between[0].start : between[-1].end]
            first_part = _sentence(f"{self.text[: tokens[article].start]}which {noun}")
            yield Cut(score, first_part, _continued(opener, self.name, noun, self.text[tokens[place].start :]))

    def _asks(self, place: int) -> bool:
        """True if the word here is a question word, and not a relative."""
        word = self.tokens[place].low
        if word in _ASKING - _RELATIVE:
            return True
        before = self.tokens[place - 1] if place else None
        return word in _ASKING and (before is None or before.low in _BEFORE or place >= len(self.tokens) - 2)

    def apart(self) -> tuple[str, str]:
        """Two questions without a cut: one for the name that leads on, and the whole question, given that name."""
        named = name_in(self.text, self.first)
        kind = next((noun for noun in self._nouns() if set(content_words(noun)) & self.right), "")
        begins = self.tokens[0].low in _BEFORE
        whole = f"{self.text[:1].lower() if begins else self.text[:1]}{self.text[1:]}"
        second_part = _sentence(f"Given {self.name}, {whole}")
        if named:
            return f"{f'Which {kind}' if kind else 'Who or what'} is {named} connected with?", second_part
        return f"Who or what does this describe: {self._best_stretch()}?", second_part

    def _nouns(self) -> Iterator[str]:
        """The nouns after "which", "a" and the like."""
        for place, token in enumerate(self.tokens[:-1]):
            if token.low in _ARTICLES | {"which", "what"}:
                head = self.tokens[self._head(place + 1, len(self.tokens))].text
                if head.islower() and head != "number":
                    yield head

    def _best_stretch(self) -> str:
        """The words in a row that the first page speaks of most."""
        best, run, start, place = (0.0, 0, len(self.tokens)), 0.0, 0, 0
        for place, token in enumerate(self.tokens):
            if run <= 0:
                run, start = 0.0, place
            run += token.weight
            if run > best[0]:
                best = (run, start, place + 1)
        inside = self.tokens[best[1] : best[2]]
        return self.text[inside[0].start : inside[-1].end].rstrip(" ?.,")


def _opener(tokens: list[Token], place: int) -> str:
    """The kind of words that continue a sentence about a thing just named: relative, participle or preposition."""
    word = tokens[place].low
    if word in _RELATIVE:
        return "relative"
    if re.fullmatch(r"\w{2,}ed|known|born|built|written|led|located|held|made|sung", word):
        return "participle"
    if re.fullmatch(r"\w{2,}ing", word) and place + 1 < len(tokens) and tokens[place + 1].low in _BEFORE:
        return "participle"
    return "preposition" if word in ("of", "in", "by", "with", "from") else ""


def _continued(opener: str, name: str, noun: str, rest: str) -> str:
    """The words that follow the noun, as a question or sentence about the name."""
    word, _, more = rest.partition(" ")
    if opener == "relative" and word.lower() == "whose":
        return _sentence(f"{name}'s {more}")
    if opener == "relative" and word.lower() in ("where", "whom"):
        return _sentence(f"With {name}, {more}")
    if opener == "relative":
        return _sentence(f"{name} {more}")
    return _sentence(f"{name} is {rest}" if opener == "participle" else f"{name} is the {noun} {rest}")


def _sentence(words: str) -> str:
    words = re.sub(r"\s+([?,.])", r"\1", " ".join(words.split())).rstrip(" ?.,").removesuffix('?"')
    words += '"' * (words.count('"') % 2)
    return f"{words[:1].upper()}{words[1:]}?"
