"""The judgement of a passage, the reading of pages together, and a passage in few words by what is marked in it."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from ..base.english import Span, sentence_spans
from ..base.imports import NDArray, np
from .layout import POOLED, TOKENS, Pair, Window

LONGEST_ANSWER = 16
"""Tokens."""
USEFUL = 0.2
"""From this probability on a word is useful: few words are, so that the encoder is seldom sure of one."""
_WORD = re.compile(r"\S+")
_EDGE = ".,;:!?()[]\"'“”‘’"
_ANSWERS = POOLED.index("none")


class Answer(NamedTuple):
    """A stretch of the passage that may be the answer."""

    start: int
    end: int
    score: float
    """The logarithm of the probability that it begins and ends there, given that the passage holds the answer."""


class Judgement(NamedTuple):
    """Probabilities for the passage as a whole, and for its words and spans."""

    relevant: float
    """The probability that it brings the answer closer."""
    leads_on: float
    """The probability that it does, and that more is needed after it: EfficientRAG's tag "continue"."""
    enough: float
    """The probability that nothing is missing once it is known."""
    holds: float
    """The probability that it holds the answer, given what is known."""
    yes: float
    no: float
    answers: tuple[Answer, ...] = ()
    """The likeliest answers in it, best first."""
    words: tuple[tuple[Span, float], ...] = ()
    """Each of its words, with the probability that the word is useful."""

    def marks(self, least: float = USEFUL) -> list[Span]:
        """The useful words, neighbours together."""
        marks: list[Span] = []
        for (start, end), useful in self.words:
            if useful >= least:
                joined = marks and start - marks[-1][1] <= 1
                marks = [*marks[:-1], (marks[-1][0], end)] if joined else [*marks, (start, end)]
        return marks


def judgement(passage: str, windows: Sequence[Window], outputs: Sequence[Sequence["NDArray[np.float32]"]]) -> Judgement:
    """The judgement of a passage from those of its windows: what one of them sees counts."""
    pooled = np.stack([verdicts for verdicts, _ in outputs]).astype(np.float64)
    verdicts = 1 / (1 + np.exp(-pooled[:, :_ANSWERS]))
    raised = np.exp(pooled[:, _ANSWERS:] - pooled[:, _ANSWERS:].max(1, keepdims=True))
    kinds = raised / raised.sum(1, keepdims=True)
    tokens = [
        output[window.first : window.first + len(window.offsets)]
        for window, (_, output) in zip(windows, outputs, strict=True)
    ]
    relevant, leads_on, enough = verdicts.max(0).tolist()
    best = int(kinds[:, 1].argmax())
    answers = [
        Answer(start, end, score + float(np.log(kinds[place, 1] + 1e-9) - np.log(kinds[best, 1] + 1e-9)))
        for place, (window, logits) in enumerate(zip(windows, tokens, strict=True))
        for start, end, score in _answers(window, logits)
    ]
    answers.sort(key=lambda answer: -answer.score)
    _, holds, yes, no = kinds[int(kinds[:, 0].argmin())].tolist()
    return Judgement(relevant, leads_on, enough, holds, yes, no, tuple(answers[:5]), _words(passage, windows, tokens))


def word_scores(text: str, offsets: Sequence[Span], logits: "NDArray[np.float32]", head: str) -> dict[Span, float]:
    """The probability of a token head for each word: that of the word's likeliest token."""
    likely = (1 / (1 + np.exp(-logits[:, TOKENS.index(head)].astype(np.float64)))).tolist()
    scores: dict[Span, float] = {}
    tokens = list(zip(offsets, likely, strict=True))
    place = 0
    for match in _WORD.finditer(text):
        start, end = match.start(), match.end()
        while place < len(tokens) and tokens[place][0][1] <= start:
            place += 1
        inside = place
        while inside < len(tokens) and tokens[inside][0][0] < end:
            scores[start, end] = max(scores.get((start, end), 0.0), tokens[inside][1])
            inside += 1
    return scores


def trim(text: str, span: Span) -> Span:
    """The span without punctuation at its edges."""
    start, end = span
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    return (start, end)


def _words(
    passage: str, windows: Sequence[Window], tokens: Sequence["NDArray[np.float32]"]
) -> tuple[tuple[Span, float], ...]:
    merged: dict[Span, float] = {}
    for window, logits in zip(windows, tokens, strict=True):
        for span, score in word_scores(passage, window.offsets, logits, "useful").items():
            merged[span] = max(score, merged.get(span, 0.0))
    inner = ((trim(passage, span), score) for span, score in sorted(merged.items()))
    return tuple((span, score) for span, score in inner if span[0] < span[1])


def _answers(window: Window, logits: "NDArray[np.float32]") -> list[tuple[int, int, float]]:
    """The three likeliest stretches of a window that begin and end with a word."""
    if not len(logits):
        return []
    start, end = (logits[:, TOKENS.index(head)].astype(np.float64) for head in ("start", "end"))
    start, end = start - np.logaddexp.reduce(start), end - np.logaddexp.reduce(end)
    after = np.append(end, np.full(LONGEST_ANSWER - 1, -np.inf))  # the ends that a start may have, and no others
    scores = (start[:, None] + np.lib.stride_tricks.sliding_window_view(after, LONGEST_ANSWER)).ravel()
    best = np.argpartition(-scores, min(3, scores.size - 1))[:3].tolist()
    spans = []
    for place in sorted(best, key=lambda place: (-scores[place], place)):
        first, length = divmod(place, LONGEST_ANSWER)
        if np.isfinite(scores[place]):
            spans.append((window.offsets[first][0], window.offsets[first + length][1], float(scores[place])))
    return spans


def condense(text: str, marks: Sequence[Span], words: int = 55) -> str:
    """The text in at most about so many words: the sentences with most marks, then its first ones, in their order.

    The first sentence of a text "title | text" keeps its title.
    """
    spans = sentence_spans(text)
    overlaps = [sum(max(0, min(end, last) - max(start, first)) for first, last in marks) for start, end in spans]
    order = sorted(range(len(spans)), key=lambda place: (-overlaps[place], place))
    if spans and not overlaps[0]:  # its first sentence names the subject
        order.remove(0)
        order.insert(1, 0)
    fitting: list[Span] = []  # the first of them, and of the others those for which there is room
    for start, end in (spans[place] for place in order):
        size = len(text[start:end].split())
        if not fitting or size <= words:
            fitting.append((start, end))
            words -= size
    return " ".join(text[start:end].strip() for start, end in sorted(fitting))


READING_WINDOW = 512
"""Tokens the reader sees at once."""
TOGETHER = 300
"""Words of the pages that are read together."""
BETWEEN = " [SEP] "
"""The text between two pages; a tokenizer that knows it has a token for it."""


class Pages(NamedTuple):
    """Pages that may answer a question together."""

    question: str
    pages: tuple[str, ...]

    def pair(self) -> Pair:
        """The pages as the one passage that the reader sees."""
        return Pair(self.question, as_one(self.pages))


class PageAnswer(NamedTuple):
    """A stretch of one of the pages that may be the answer."""

    page: int
    start: int
    end: int
    score: float
    """The logarithm of the probability that it begins and ends there, given that the pages hold the answer."""


class PagesReading(NamedTuple):
    """The reader's reading of pages."""

    complete: float
    """The probability that they hold all that the answer takes."""
    holds: float
    """The probability that they answer in their own words."""
    yes: float
    no: float
    answers: tuple[PageAnswer, ...]
    """The likeliest answers, best first."""
    helpful: tuple[float, ...] = ()
    """For each page, the probability that it is part of the way to the answer, beside the others: its words' mean."""


def as_one(pages: Sequence[str]) -> str:
    """Pages as one text."""
    return BETWEEN.join(pages)


def read_together(pages: Sequence[str], words: int = TOGETHER) -> list[tuple[str, ...]]:
    """Pages in groups of limited length; the first page, which is the likeliest, stands in each."""
    groups: list[list[str]] = [[]]
    for page in pages:
        size = sum(len(each.split()) for each in groups[-1])
        if groups[-1][1:] and size + len(page.split()) > words:
            groups.append([pages[0]])
        groups[-1].append(page)
    return [tuple(group) for group in groups if group]


def reading(pages: Sequence[str], judgement: Judgement) -> PagesReading:
    """A judgement of pages as one text, by page; an answer that reaches over the end of a page is left out."""
    starts = [0, *accumulate(len(page) + len(BETWEEN) for page in pages)]
    answers = []
    for answer in judgement.answers:
        page = bisect_right(starts, answer.start) - 1
        start, end = answer.start - starts[page], answer.end - starts[page]
        if end <= len(pages[page]):
            answers.append(PageAnswer(page, start, end, answer.score))
    of_words: list[list[float]] = [[] for _ in pages]
    for (start, _), helps in judgement.words:
        page = bisect_right(starts, start) - 1
        if start < starts[page] + len(pages[page]):  # what stands between two pages is of neither
            of_words[page].append(helps)
    helpful = tuple(fmean(words) if words else 0.0 for words in of_words)
    return PagesReading(judgement.enough, judgement.holds, judgement.yes, judgement.no, tuple(answers), helpful)
