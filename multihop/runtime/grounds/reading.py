"""The encoder's reading of the passages behind an answer, as signals."""

import asyncio
import math
from collections.abc import Sequence

from ...encoder import Encoder, Pages, PagesReading, read, read_together
from ...english.normal_form import normal_form
from ...retrieval import Passage
from .signals import Signals

LEAST = -12.0
"""The logarithm of the probability of an answer that the encoder would not give."""
WIDEST = 6.0
"""The largest margin between two answers."""
SUREST = 7.0
"""The log odds of which none are surer."""


async def read_signals(question: str, answer: str, passages: Sequence[Passage]) -> Signals:
    """The signals that the encoder gives: whether the passages answer the question, and with this answer.

    Args:
        question: The question.
        answer: The answer.
        passages: The passages, best first.

    Examples:
        >>> import asyncio
        >>> from multihop import Passage
        >>> from multihop.runtime.grounds.reading import read_signals
        >>> ada = [Passage("1", "Ada Lovelace", "Ada Lovelace was an English mathematician, born in London.")]
        >>> right = asyncio.run(read_signals("Where was Ada Lovelace born?", "London", ada))
        >>> wrong = asyncio.run(read_signals("Where was Ada Lovelace born?", "Paris", ada))
        >>> right["span"] > wrong["span"], right["margin"] > 0 > wrong["margin"]
        (True, True)
    """
    if not passages:
        return {"complete": -SUREST, "first": -SUREST, "second": -SUREST, "span": LEAST, "margin": -WIDEST}
    encoder, groups = Encoder.load(), read_together([str(passage) for passage in passages])
    readings = await asyncio.gather(*(read(encoder, Pages(question, group)) for group in groups))
    answers = answer_scores(groups, readings)
    form = normal_form(answer)
    span = max(answers.get(form, LEAST), LEAST)
    other = max((score for name, score in answers.items() if name != form), default=LEAST)
    first, second = _most_helpful(groups, readings)
    return {
        "complete": log_odds(max(reading.complete for reading in readings)),
        "first": log_odds(first),
        "second": log_odds(second),
        "span": span,
        "margin": max(-WIDEST, min(WIDEST, span - max(other, LEAST))),
    }


def log_odds(probability: float) -> float:
    """The logarithm of the odds, between -7 and 7.

    Examples:
        >>> from multihop.runtime.grounds.reading import log_odds
        >>> log_odds(0.5), log_odds(1.0)
        (0.0, 7.0)
    """
    probability = min(max(probability, 1e-9), 1 - 1e-9)
    return max(-SUREST, min(SUREST, math.log(probability / (1 - probability))))


def _most_helpful(groups: Sequence[tuple[str, ...]], readings: Sequence[PagesReading]) -> tuple[float, float]:
    """The probabilities of the two passages that help most: each the highest of the readings that it is part of."""
    helps: dict[str, float] = {}
    for group, reading in zip(groups, readings, strict=True):
        for page, likely in zip(group, reading.helpful, strict=False):
            helps[page] = max(likely, helps.get(page, 0.0))
    first, second, *_ = [*sorted(helps.values(), reverse=True), 0.0, 0.0]
    return first, second


def answer_scores(groups: Sequence[tuple[str, ...]], readings: Sequence[PagesReading]) -> dict[str, float]:
    """The answers that the encoder might give, in their normal forms, with the logarithm of their probability."""
    scores: dict[str, float] = {}
    for group, reading in zip(groups, readings, strict=True):
        said = [
            (group[each.page][each.start : each.end], each.score + math.log(reading.holds + 1e-9))
            for each in reading.answers
        ]
        said += [("yes", math.log(reading.yes + 1e-9)), ("no", math.log(reading.no + 1e-9))]
        for text, score in said:
            form = normal_form(text)
            scores[form] = max(score, scores.get(form, score))
    return scores
