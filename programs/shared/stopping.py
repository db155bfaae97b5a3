"""Rules that end a search before its limits do: what repeats, what brings nothing new, and an answer that is settled.

The last is the rule of TASR (2026, arXiv 2606.13814), with the built-in encoder's margin in the place of an LM's
logits: what was found so far is read after every round, without an LM call.
"""

import asyncio
import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ...encoder import Encoder, Pages, PagesReading, read, read_together
from ...english.normal_form import normal_form
from ...retrieval import Passage
from ...runtime import Program, StopOutputs, StopStep, worked
from .evidence import wording

Stop = Literal["repeats", "nothing-new", "settled"]

FIRST = 30
"""Passages that are read at most, those found first."""
SURE = 0.9
"""From this probability on that the passages hold all that the answer takes, one reading may settle it."""
MARGIN = 0.75
"""The least difference then, in logarithms of probabilities, between the answer and the next likely one."""
REPEATED = 0.5
"""The least difference for an answer that repeats that of the reading before."""


class Reading(NamedTuple):
    """The encoder's reading of all that was found so far."""

    answer: str
    """The likeliest answer, in its normal form."""
    margin: float
    """The logarithm of its probability, less that of the next likely one."""
    complete: float
    """The probability that the passages hold all that the answer takes."""
    passages: frozenset[str] = frozenset()
    """The ids of the passages that were read."""

    def settles(self, before: "Reading | None") -> bool:
        """True if the answer is clear and complete, or if it is fairly clear and that of the reading before.

        Examples:
            >>> from multihop.programs.shared.stopping import Reading
            >>> first, second = Reading("london", 2.0, 0.6), Reading("london", 3.0, 0.6)
            >>> first.settles(None), second.settles(first), second.settles(Reading("paris", 2.0, 0.6))
            (False, True, False)
        """
        if before is not None and before.answer == self.answer and self.margin > REPEATED:
            return True
        return self.margin > MARGIN and self.complete >= SURE


class StopsEarly(Program):
    """A method that searches round after round, and may know before its limits that a search is over."""

    stops: tuple[Stop, ...] = ("repeats", "nothing-new")
    """The rules that end a search, or one branch of it, early: at a query or sub-question that was asked before
    ("repeats"), after a round that brings nothing that was not known ("nothing-new"), and once the built-in encoder,
    which reads what was found after every round, is sure of the answer ("settled")."""

    def stop(self, rule: Stop, so: bool, why: str, **numbers: float) -> bool:
        """True if the rule is one of this program's and it is so; then it is put on record.

        Args:
            rule: The rule.
            so: True if what it asks for is the case.
            why: The reason, in a sentence.
            **numbers: The numbers behind it.
        """
        if not so or rule not in self.stops:
            return False
        self.record(StopStep(step="stop", outputs=StopOutputs(rule=rule, why=why, **numbers)))  # type: ignore[typeddict-item]
        return True

    def repeats(self, query: str, before: Iterable[str]) -> bool:
        """True if the words of the query were asked before, and that ends the search."""
        return self.stop("repeats", wording(query) in map(wording, before), f"It was asked before: {query}")

    def brings_nothing(self, found: Sequence[Passage], new: Sequence[Passage]) -> bool:
        """True if passages were found and none of them is new, and that ends the search."""
        return self.stop("nothing-new", bool(found) and not new, "All that was found was known.")

    async def is_settled(self, question: str, passages: Sequence[Passage], readings: list[Reading]) -> bool:
        """True if what was found settles the answer, and that ends the search.

        Args:
            question: The question.
            passages: All passages that would be read now; the same as before settle nothing.
            readings: The readings of the rounds before; this one is added.
        """
        before, shown = readings[-1] if readings else None, passages[:FIRST]
        known = frozenset() if before is None else before.passages
        if "settled" not in self.stops or known == {passage.id for passage in shown}:
            return False
        readings.append(reading := await worked(read_so_far(question, shown)))
        why = f"The answer is settled: {reading.answer}"
        return self.stop(
            "settled",
            reading.settles(before),
            why,
            margin=round(reading.margin, 3),
            complete=round(reading.complete, 3),
        )


async def read_so_far(question: str, passages: Sequence[Passage]) -> Reading:
    """The reading of the passages that help most, as many as the encoder reads together.

    Examples:
        >>> import asyncio
        >>> from multihop import Passage
        >>> from multihop.programs.shared.stopping import read_so_far
        >>> ada = Passage("1", "Ada Lovelace", "Ada Lovelace was an English mathematician, born in London.")
        >>> asyncio.run(read_so_far("Where was Ada Lovelace born?", [ada])).answer
        'london'
    """
    encoder, texts = Encoder.load(), list(dict.fromkeys(map(str, passages)))
    groups = read_together(texts)
    readings = await asyncio.gather(*(read(encoder, Pages(question, group)) for group in groups))
    if len(groups) > 1:
        helps: dict[str, float] = {}
        for group, one in zip(groups, readings, strict=True):
            helps |= dict(zip(group, one.helpful, strict=True))
        groups = read_together(sorted(texts, key=lambda text: -helps.get(text, 0.0)))[:1]
        readings = [await read(encoder, Pages(question, groups[0]))]
    first, second = _likeliest(groups[0], readings[0])
    read_ids = frozenset(passage.id for passage in passages)
    return Reading(first[0], first[1] - second[1], readings[0].complete, read_ids)


def _likeliest(pages: Sequence[str], reading: PagesReading) -> tuple[tuple[str, float], tuple[str, float]]:
    """The two likeliest answers, in their normal forms, with the logarithms of their probabilities."""
    said = [
        (pages[each.page][each.start : each.end], each.score + math.log(reading.holds + 1e-9))
        for each in reading.answers
    ]
    said += [("yes", math.log(reading.yes + 1e-9)), ("no", math.log(reading.no + 1e-9))]
    scores: dict[str, float] = {}
    for text, score in said:
        form = normal_form(text)
        scores[form] = max(score, scores.get(form, score))
    first, second, *_ = sorted(scores.items(), key=lambda each: -each[1])
    return first, second
