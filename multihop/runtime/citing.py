"""Citations of a finished answer: the sentences of its passages that bear it.

The built-in encoder judges the first passages and reads them together; no LM is asked. A sentence is likely to bear the
answer if its page helps, alone and beside the others, if it has the page's most useful words, if the answer is read in
it, or if it shares words with the question. The weights are those of a logistic curve fitted on training questions of
HotpotQA and 2WikiMultiHopQA.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import encoder
from ..base.english import Span, content_words, has_form, normal_form, refuses, sentence_spans
from ..retrieval import Passage

FIRST = 5
"""Passages that are read, the best ones."""
LIKELY = 0.3
"""The probability from which a sentence is cited."""
MOST = 6
"""Sentences that are cited for one answer."""
HARDLY = 0.005
"""The probability below which the encoder does not read an answer in passages."""
READ = 0.1
"""The probability from which it reads one."""
OUTWEIGHS = 3.0
"""The factor by which "no" is likelier than "yes", or the other way round, where passages speak against the answer."""
SENTENCE = 4
"""Words from which an answer may be a sentence."""
BIAS = -2.174
SURE = 0.999
"""The probability above which, and the contrary of which, the judge is not believed."""
_BREAK = re.compile(r"(?<=[。！？｡।॥؟۔])\s*|\n\s*\n")
"""The ends of sentences in scripts that know no capitals, and empty lines."""


class Citation(NamedTuple):
    """A sentence of a passage that bears an answer."""

    passage: str
    """The passage's id."""
    title: str
    """The passage's title; may be empty."""
    sentence: str
    """The sentence."""
    start: int
    """The first character of the sentence in the passage's text."""
    end: int
    """The character after its last."""
    score: float
    """The probability that the sentence bears the answer."""


class Clues(NamedTuple):
    """The numbers by which a sentence is known as one that bears the answer."""

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


class AnswerReading(NamedTuple):
    """The encoder's reading of the passages behind an answer."""

    passages: Sequence[Passage]
    """The passages."""
    judgements: "Sequence[encoder.Judgement]"
    """The judge's of each passage."""
    groups: Sequence[tuple[str, ...]]
    """The passages as texts, as they were read together."""
    readings: "Sequence[encoder.PagesReading]"
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


def cite(question: str, prediction: Any) -> list[Citation]:
    """The sentences that bear the answer of a prediction, likeliest first; none where its passages do not bear it.

    The passages bear an answer if it stands in one of them and the built-in encoder reads it there, or reads no other.
    That says that they speak for the answer, not that it is right. "yes" and "no" are borne unless the other is three
    times as likely. An answer in a sentence is borne if its names and numbers stand in the passages or the question,
    and half of its words. The first five passages are read, which takes about a tenth of a second.

    Args:
        question: The question.
        prediction: A program's prediction, or anything with an `answer` and `passages`, best first.

    Examples:
        >>> import dspy
        >>> from multihop import Passage, cite
        >>> pages = [
        ...     Passage("1", "Emma (novel)", "Emma is a novel by Jane Austen. It sold well."),
        ...     Passage("2", "Jane Austen", "Jane Austen was an English novelist. She was born in Steventon."),
        ... ]
        >>> prediction = dspy.Prediction(answer="Steventon", passages=pages)
        >>> for citation in cite("Where was the author of Emma born?", prediction):
        ...     print(f"{citation.title}: {citation.sentence}")
        Jane Austen: She was born in Steventon.
        Emma (novel): Emma is a novel by Jane Austen.
    """
    answer = str(getattr(prediction, "answer", None) or "")
    passages = _first(_distinct(getattr(prediction, "passages", None) or ()), answer)
    if refuses(answer) or not passages:
        return []
    reading = read_passages(question, passages)
    if not is_borne(question, answer, reading):
        return []
    found = [_citation(passage, span, clues) for passage, span, clues in sentence_clues(question, answer, reading)]
    ranked = sorted(found, key=lambda each: -each.score)
    chosen = [each for each in ranked[:MOST] if each.score >= LIKELY] or ranked[:1]
    form = normal_form(answer)
    if not any(_stands_in(form, each.sentence) for each in chosen):
        chosen += [each for each in ranked if _stands_in(form, each.sentence)][:1]
    return [each._replace(score=round(each.score, 4)) for each in chosen]


def read_passages(question: str, passages: Sequence[Passage]) -> AnswerReading:
    """The encoder's reading of passages, best first; what was judged or read before is looked up."""
    built_in, texts = encoder.Encoder.load(), [str(passage) for passage in passages]
    groups = encoder.read_together(texts)
    judgements = built_in.judge([encoder.Pair(question, text) for text in texts])
    readings = built_in.read([encoder.Pages(question, group) for group in groups])
    return AnswerReading(passages, judgements, groups, readings)


def is_borne(question: str, answer: str, reading: AnswerReading) -> bool:
    """True if the passages bear the answer; see `cite`."""
    form = normal_form(answer)
    if form in ("yes", "no"):
        yes, no = (max((getattr(each, name) for each in reading.readings), default=0.0) for name in ("yes", "no"))
        own, other = (yes, no) if form == "yes" else (no, yes)
        return max(own, other) >= READ and other <= OUTWEIGHS * own
    words, asked = set(form.split()), set(normal_form(question).split())
    own = other = 0.0
    for text, start, end, probability in reading.answers():
        given = set(normal_form(text[start:end]).split())
        if given and (given <= words or words <= given):
            own = max(own, probability)
        elif given.isdisjoint(words) and not (words <= asked and given <= asked):  # no two things to be compared
            other = max(other, probability)
    if own < HARDLY and other >= READ:
        return False
    if any(_stands_in(form, str(passage)) for passage in reading.passages):
        return True
    return len(form.split()) >= SENTENCE and _is_told(question, answer, reading.passages)


def _is_told(question: str, answer: str, passages: Sequence[Passage]) -> bool:
    """True if the passages or the question have the names and numbers of a sentence, and half of its words."""
    told = set(content_words(" ".join([question, *map(str, passages)])))
    _, *rest = answer.split()  # a sentence begins with a capital letter whatever its first word is
    named = set(content_words(" ".join(word for word in rest if re.search(r"[A-Z\d]", word))))
    words = set(content_words(answer))
    return named <= told and 2 * len(words & told) >= len(words)


def sentence_clues(question: str, answer: str, reading: AnswerReading) -> Iterator[tuple[Passage, Span, Clues]]:
    """Every sentence of the passages, with its clues."""
    form, asked, helpful = normal_form(answer), set(content_words(question)), reading.helpful()
    most, answers = max(helpful.values(), default=0.0), list(reading.answers())
    for passage, judgement in zip(reading.passages, reading.judgements, strict=True):
        text, spans = str(passage), sentences_of(passage.text)
        head, relevant = len(text) - len(passage.text), min(max(judgement.relevant, 1 - SURE), SURE)
        useful = _most_useful(judgement.words, [(head + start, head + end) for start, end in spans])
        for (start, end), words in zip(spans, useful, strict=True):
            sentence = passage.text[start:end]
            given = [score for page, at, _, score in answers if page == text and head + start <= at < head + end]
            yield passage, (start, end), Clues(
                relevant=math.log(relevant / (1 - relevant)),
                helpful=helpful.get(text, 0.0) - most,
                useful=words - max(useful),
                read=max(given, default=0.0),
                stands=float(_stands_in(form, sentence)),
                shared=len(asked.intersection(content_words(sentence))) / max(1, len(asked)),
            )  # fmt: skip


def sentences_of(text: str) -> list[Span]:
    """The places of the sentences of a text, without blanks around them, in any script."""
    spans = []
    for first, last in sentence_spans(text):
        start = first
        for found in [*_BREAK.finditer(text, first, last), None]:
            end = found.start() if found else last
            part = text[start:end]
            if part.strip():
                spans.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
            start = found.end() if found else last
    return spans


def _citation(passage: Passage, span: Span, clues: Clues) -> Citation:
    odds = BIAS + sum(weight * clue for weight, clue in zip(WEIGHTS, clues, strict=True))
    return Citation(passage.id, passage.title, passage.text[slice(*span)], *span, 1 / (1 + math.exp(-odds)))


def _distinct(passages: Iterable[Any]) -> list[Passage]:
    """The passages that have a text, each once."""
    found: dict[str, Passage] = {}
    for passage in passages:
        if isinstance(passage, Passage) and passage.text.strip():
            found.setdefault(str(passage), passage)
    return list(found.values())


def _first(passages: Sequence[Passage], answer: str) -> list[Passage]:
    """The first passages; where the answer stands in none of them, the first one in which it does is the last."""
    form, first = normal_form(answer), list(passages[:FIRST])
    if not any(_stands_in(form, str(passage)) for passage in first):
        named = [passage for passage in passages[FIRST:] if _stands_in(form, str(passage))][:1]
        first = [*first[: FIRST - len(named)], *named]
    return first


def _stands_in(form: str, text: str) -> bool:
    """True if an answer, in its normal form, stands in the text; "yes" and "no" never do."""
    return form not in ("yes", "no") and has_form(text, form)


def _most_useful(words: Sequence[tuple[Span, float]], spans: Sequence[Span]) -> list[float]:
    """For each stretch of a text the probability of its most useful word, of words in their order."""
    starts = [start for (start, _), _ in words]
    within = (words[bisect_left(starts, start) : bisect_left(starts, end)] for start, end in spans)
    return [max((useful for _, useful in each), default=0.0) for each in within]
