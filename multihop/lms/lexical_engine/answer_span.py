"""The short span of some passages that best fits a question, by the kind of answer it asks for."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ...base.english import content_words, stem
from .overlap import PassageReading, Sentence

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} {_MONTH},? \d{{3,4}}|{_MONTH} \d{{1,2}}, ?\d{{3,4}}|{_MONTH} \d{{4}}|[12]\d{{3}})\b"
)
_YEAR = re.compile(r"\b[12]\d{3}\b")
_NUMBER = re.compile(
    r"\b(?:\d[\d,.]*\d|\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b)"
    r"(?:[ -](?:hundred|thousand|million|billion)\b)?"
)
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’\-]*"
_NAME = re.compile(
    rf"(?:{_CAPITAL}\.?)"
    rf"(?: (?:(?:of|the|de|la|du|von|van|der|di|da|del|al|bin|ibn) ){{0,2}}(?:{_CAPITAL}|\d+)(?:(?<= [A-Z])\.)?)*"
)
_FORMS = {"date": _DATE, "year": _YEAR, "number": _NUMBER}
_MONTH_STEMS = frozenset(map(stem, _MONTH[3:-1].split("|")))
_OPENING_WORDS = (
    "The A An He She It They His Her Its Their This That These Those In On At By For From With As After Before During "
    "When While Since Although However Also But And Or There Here Born One Two Both Some Many Most Other"
)
_OPENERS = frozenset(_OPENING_WORDS.split())
_INTERROGATIVE = re.compile(
    r"(?:^|[,:] |\b(?:to|by|for|in|of|is|was|were|are|from|with|at|on|and|after|than|as|did|has|have|into|until) )"
    r"(who|whom|whose|where|when|what|which|how)\b",
    re.IGNORECASE,
)
_HEAD_END = re.compile(
    r"\b(?:is|are|was|were|did|do|does|has|have|had|can|could|will|would|of|in|that|who|whose|where|when|for|from|by|to|on|at|the|an?)\b"
)
_NOUNS = {
    "date": "date day birthday",
    "year": "year decade",
    "number": "number amount population percentage age size length",
    "country": "country nationality nation",
    "place": "city town state county region province village place birthplace island district location area",
    "person": "actor actress singer author director player writer person man woman mother father wife husband spouse "
    "child son daughter composer performer producer founder president king queen footballer musician artist poet",
}
_KIND = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_PRONOUNS = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "date"}
# Words right before an answer of a kind.
_CUES = {
    "country": re.compile(r"(?:\b(?:is|was|were|are) an? |\bin (?:the )?|\bfrom (?:the )?)$"),
    "place": re.compile(r"\b(?:in|at|near|of|from) (?:the )?$"),
    "person": re.compile(r"\b(?:by|of|with|to|and|named|is|was|wife|husband|actor|actress|singer|director) $"),
}
_ADJECTIVE = re.compile(r"\b(?:an?|the) (?:\d{4} )?$")
# The years of a life in brackets: what is before the dash is of the birth, what is after it of the death.
_LIFE = re.compile(r"\((?:[^()]*?([–—]| - )|born\b|b\.)[^()]*\)")


class AnswerSpan(NamedTuple):
    """A candidate answer, with the sentence that vouches for it."""

    text: str
    sentence: Sentence
    score: float


@lru_cache(maxsize=4096)
def answer_kind(question: str) -> str:
    """The kind of answer that the question asks for: "date", "year", "number", "country", "place", "person", "name"."""
    match = _INTERROGATIVE.search(question)
    if match is None:
        return "name"
    word, rest = match[1].lower(), question[match.end() :].strip(" ?").lower()
    if word == "how":
        return "number" if re.match(r"(?:many|much|old|long|far|tall|high|large|big)\b", rest) else "name"
    if word in _PRONOUNS:
        return _PRONOUNS[word]
    heads = (head.split() for head in _HEAD_END.split(rest))
    head: list[str] = next((words for words in heads if words and words != ["name"]), [])
    return next((_KIND[noun] for noun in reversed(head) if noun in _KIND), "name")


def names(text: str) -> Iterator[re.Match[str]]:
    """Every capitalised name in a text, without the word that merely opens the sentence."""
    for match in _NAME.finditer(text):
        opener = match[0].partition(" ")[0]
        if opener not in _OPENERS:
            yield match
        elif " " in match[0] and (rest := _NAME.search(text, match.start() + len(opener), match.end())):
            yield rest


def best_spans(reading: PassageReading) -> list[AnswerSpan]:
    """The candidates of the asked kind in all the passages, the best first."""
    kind = answer_kind(reading.question)
    spans = [span for sentence in reading.sentences for span in _candidates(reading, sentence, kind)]
    return sorted(spans, key=lambda span: -span.score)


def _candidates(reading: PassageReading, sentence: Sentence, kind: str) -> Iterator[AnswerSpan]:
    """Every span of the kind in a sentence, scored; the numbers were fitted on training questions."""
    question_words = set(reading.question_words)
    left = set(reading.words_left(sentence.passage))
    worth = 0.75 * reading.overlap(sentence) + 0.3 * (sentence.place == 0) + 1.6 * reading.steps[sentence.passage].hop
    words = ((match.start(), stem(match[0])) for match in re.finditer(r"[^\W_]+", sentence.text))
    near = [(start, reading.weights[word]) for start, word in words if word in left]
    life = _LIFE.search(sentence.text) if sentence.place == 0 else None
    for match in _FORMS[kind].finditer(sentence.text) if kind in _FORMS else names(sentence.text):
        stems = content_words(match[0])
        if not stems or question_words.issuperset(stems) or (kind not in _FORMS and stems[0] in _MONTH_STEMS):
            continue
        score = worth + 0.8 * len(question_words.intersection(stems)) / len(stems)
        score += 1.3 * _closeness(match.start(), near)
        score += _form(kind, match[0], sentence.text[max(0, match.start() - 14) : match.start()])
        if life and life.start() < match.start() < life.end():
            score += _life(kind, question_words, of_death=life[1] is not None and match.start() > life.start(1))
        if kind in ("name", "person"):
            score += _title(reading, sentence.passage, stems)
        yield AnswerSpan(match[0].rstrip(".,'’"), sentence, score)


def _closeness(place: int, near: Sequence[tuple[int, float]]) -> float:
    """The closeness of the words still asked for; those before a span count a little more than those after it."""
    return sum(weight * (1 if start < place else 0.85) / (4 + abs(start - place) / 4) for start, weight in near)


def _form(kind: str, text: str, before: str) -> float:
    """A score for the span's own form and the words right before it."""
    score = 0.0
    if kind in _CUES and _CUES[kind].search(before):
        score += 2.6
    if kind in ("place", "person") and _ADJECTIVE.search(before):
        score -= 0.7
    if kind == "date" and len(text) > len("1999"):
        score += 0.15
    return score


def _life(kind: str, words: Set[str], *, of_death: bool) -> float:
    """A score for a place in the brackets of a life: the right side of the dash is nearly sure, and no country is."""
    if kind in ("date", "year", "place") and not words.isdisjoint(("born", "died")):
        return 4.0 if of_death == ("died" in words) else -4.0
    return -4.0 if kind == "country" else 0.0


def _title(reading: PassageReading, passage: int, stems: Sequence[str]) -> float:
    """A name that is the title of a passage the question leads to is a likely answer; a passage's own, less so."""
    for page, title in enumerate(reading.titles):
        if title.issuperset(stems):
            return (1.0 if reading.steps[page].hop > 0 else 0.0) - (0.6 if page == passage else 0.0)
    return 0.0
