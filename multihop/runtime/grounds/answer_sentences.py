"""The sentences that an answer takes, as the encoder sees them: one on each page of the way, with a probability each.

A sentence is likely one of them if its page helps, alone and beside the others, if it has the page's most useful words,
if the answer is read in it, or if it shares words with the question. The weights are those of a logistic curve fitted
on training questions of HotpotQA and 2WikiMultiHopQA (`benchmarks/citations.py --fit`).
"""

import asyncio
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...encoder import Encoder, Judgement, Pages, PagesReading, Pair, judge, read, read_together
from ...english.normal_form import has_form, normal_form
from ...english.sentences import Span
from ...english.word_stems import content_words
from ...retrieval import Passage
from .citation import Verdict
from .claims import ClaimCheck
from .passage_sentences import sentences_of

SURE = 0.999
"""The probability above which, and the contrary of which, the encoder is not believed."""
BIAS = -2.174
LIKELY = 0.3
"""The probability from which a sentence is cited."""
MOST = 6
"""Sentences that are cited for one answer."""
HARDLY = 0.005
"""The probability below which the encoder does not read an answer in passages."""
READ = 0.1
"""The probability from which it reads one."""
OTHERWISE = 0.6
"""The probability of another answer from which the passages contradict one that the encoder does not read."""
SENTENCE = 4
"""Words from which an answer may be a sentence."""
OUTWEIGHS = 3.0
"""The factor by which "no" is likelier than "yes", or the other way round, where the passages contradict the answer."""


class Clues(NamedTuple):
    """The numbers by which a sentence is known as one that the answer takes."""

    relevant: float
    """The log odds that its page helps, by the judge."""
    helpful: float
    """The probability that its page is part of the way beside the others, less that of the likeliest page."""
    useful: float
    """The probability that its most useful word is useful, less that of the page's most useful one."""
    read: float
    """The probability with which the reader gives an answer that begins in it."""
    stands: float
    """1 if the answer stands in it."""
    shared: float
    """The share of the question's words that it has."""


WEIGHTS = Clues(relevant=0.434, helpful=3.275, useful=4.835, read=1.645, stands=0.44, shared=4.314)


class LikelySentence(NamedTuple):
    """A sentence that an answer may take."""

    passage: Passage
    span: Span
    probability: float

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[slice(*self.span)]


class AnswerReading(NamedTuple):
    """The encoder's reading of the passages behind an answer."""

    passages: Sequence[Passage]
    """The passages."""
    judgements: Sequence[Judgement]
    """The judge's of each passage."""
    groups: Sequence[tuple[str, ...]]
    """The passages as texts, as they were read together."""
    readings: Sequence[PagesReading]
    """The reader's of each group."""

    def answers(self) -> Iterator[tuple[str, int, int, float]]:
        """Each answer that was read: its passage, its place there, and its probability."""
        for group, reading in zip(self.groups, self.readings, strict=True):
            for each in reading.answers:
                yield group[each.page], each.start, each.end, math.exp(each.score) * reading.holds

    def helpful(self) -> dict[str, float]:
        """The probability of each passage that it is part of the way, beside the others."""
        found: dict[str, float] = {}
        for group, reading in zip(self.groups, self.readings, strict=True):
            for text, helps in zip(group, reading.helpful, strict=True):
                found[text] = max(helps, found.get(text, 0.0))
        return found


async def read_answer(question: str, passages: Sequence[Passage]) -> AnswerReading:
    """The encoder's reading of passages, in one run; what was judged or read before is looked up.

    Args:
        question: The question.
        passages: The passages, best first.
    """
    encoder, texts = Encoder.load(), [str(passage) for passage in passages]
    groups = read_together(texts)
    judgements, readings = await asyncio.gather(
        asyncio.gather(*(judge(encoder, Pair(question, text)) for text in texts)),
        asyncio.gather(*(read(encoder, Pages(question, group)) for group in groups)),
    )
    return AnswerReading(passages, judgements, groups, readings)


def likely_sentences(question: str, answer: str, reading: AnswerReading) -> list[LikelySentence]:
    """The sentences that the answer takes, likeliest first: all likely ones, and the likeliest in which it stands.

    Args:
        question: The question.
        answer: The answer.
        reading: The encoder's reading of the passages.
    """
    found = [LikelySentence(*each[:2], likelihood(each[2])) for each in clues(question, answer, reading)]
    ranked = sorted(found, key=lambda each: -each.probability)
    chosen = [each for each in ranked[:MOST] if each.probability >= LIKELY] or ranked[:1]
    form = normal_form(answer)
    if not any(stands_in(form, each.text) for each in chosen):
        chosen += [each for each in ranked if stands_in(form, each.text)][:1]
    return chosen


def answer_verdict(question: str, answer: str, reading: AnswerReading) -> Verdict:
    """Whether the passages bear the answer: it stands there and the encoder reads it, or surely another one.

    An answer in a sentence stands there if a sentence supports it as a claim. Of two things that the question compares
    neither speaks against the other: the reader finds answers, and compares nothing.

    Args:
        question: The question.
        answer: The answer.
        reading: The encoder's reading of the passages.
    """
    form = normal_form(answer)
    if form in ("yes", "no"):
        yes, no = (max((getattr(each, name) for each in reading.readings), default=0.0) for name in ("yes", "no"))
        own, other = (yes, no) if form == "yes" else (no, yes)
        if max(own, other) < READ:
            return "not found"
        return "contradicted" if other > OUTWEIGHS * own else "supported"
    words, asked = set(form.split()), set(normal_form(question).split())
    own = other = 0.0
    for text, start, end, probability in reading.answers():
        given = set(normal_form(text[start:end]).split())
        if given and (given <= words or words <= given):
            own = max(own, probability)
        elif given.isdisjoint(words) and not (words <= asked and given <= asked):
            other = max(other, probability)
    if (own >= HARDLY or other < READ) and _is_told(question, answer, reading.passages):
        return "supported"
    return "contradicted" if own < HARDLY and other >= OTHERWISE else "not found"


def _is_told(question: str, answer: str, passages: Sequence[Passage]) -> bool:
    """True if the answer stands in a passage, or, written as a sentence, follows from one."""
    form = normal_form(answer)
    if any(stands_in(form, str(passage)) for passage in passages):
        return True
    checked = ClaimCheck(passages, question).check(answer) if len(form.split()) >= SENTENCE else None
    return checked is not None and checked.verdict == "supported"


def clues(question: str, answer: str, reading: AnswerReading) -> Iterator[tuple[Passage, Span, Clues]]:
    """Every sentence of the passages, with its clues.

    Args:
        question: The question.
        answer: The answer.
        reading: The encoder's reading of the passages.
    """
    form, asked, helpful = normal_form(answer), set(content_words(question)), reading.helpful()
    most, answers = max(helpful.values(), default=0.0), list(reading.answers())
    for passage, judgement in zip(reading.passages, reading.judgements, strict=True):
        text, spans = str(passage), sentences_of(passage.text)
        head = len(text) - len(passage.text)
        useful = _most_useful(judgement.words, [(head + start, head + end) for start, end in spans])
        for (start, end), words in zip(spans, useful, strict=True):
            sentence = passage.text[start:end]
            given = [score for page, at, _, score in answers if page == text and head + start <= at < head + end]
            yield passage, (start, end), Clues(
                relevant=_odds(judgement.relevant),
                helpful=helpful.get(text, 0.0) - most,
                useful=words - max(useful),
                read=max(given, default=0.0),
                stands=float(stands_in(form, sentence)),
                shared=len(asked.intersection(content_words(sentence))) / max(1, len(asked)),
            )  # fmt: skip


def likelihood(clues: Clues) -> float:
    """The probability that the answer takes the sentence with these clues."""
    odds = BIAS + sum(weight * clue for weight, clue in zip(WEIGHTS, clues, strict=True))
    return 1 / (1 + math.exp(-odds))


def stands_in(form: str, text: str) -> bool:
    """True if an answer, in its normal form, stands in the text; "yes" and "no" never do."""
    return form not in ("yes", "no") and has_form(text, form)


def _most_useful(words: Sequence[tuple[Span, float]], spans: Sequence[Span]) -> list[float]:
    """For each stretch of a text the probability of its most useful word, of words in their order."""
    starts = [start for (start, _), _ in words]
    within = (words[bisect_left(starts, start) : bisect_left(starts, end)] for start, end in spans)
    return [max((useful for _, useful in each), default=0.0) for each in within]


def _odds(probability: float) -> float:
    probability = min(max(probability, 1 - SURE), SURE)
    return math.log(probability / (1 - probability))
