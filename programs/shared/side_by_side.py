"""Passages ranked once more: by what the reader says of each when it sees several of them side by side."""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from ...encoder import USEFUL, Encoder, Pages, PagesReading, read, read_together
from ...retrieval import Passage
from ...runtime import together, worked
from .labelled_chunks import JudgedChunk, likeliest_of_each

WORTH_READING = 0.05
"""What a passage must promise, as a share of what the best one does, to be read at all."""
SURE = 0.999
"""How sure of a passage the reader is at most, and of the contrary."""
ANSWERS = 3
"""How many times as likely a passage is in which the answer surely stands."""


class SaidBesideOthers(NamedTuple):
    """What the reader says of a passage that it saw beside others."""

    helps: float = 0.0
    """How likely the passage is part of the way."""
    answers: float = 0.0
    """How likely the answer stands in it."""

    @property
    def odds(self) -> float:
        """How many times as likely the passage is after that."""
        likely = min(max(self.helps, 1 - SURE), SURE)
        return float(likely / (1 - likely) * ANSWERS**self.answers)


async def side_by_side(
    encoder: Encoder, question: str, labelled: Sequence[JudgedChunk], most: int, useful_at: float = USEFUL
) -> list[Passage]:
    """The passages, each once and best first: the most promising by promise times the reader's odds, then the others.

    The less the reader believes even the likeliest of them, the more counts where the question found each: questions
    or texts may be of a kind that the encoder does not know.

    Args:
        encoder: Whose reader is asked.
        question: What the passages are to answer.
        labelled: The passages with what was said of each alone, in the order of finding, as often as they were found.
        most: How many are read at most; those that promise too little beside the best one are not.
        useful_at: From this probability on a word is marked useful: of a long passage what is marked is read.
    """
    ranked = likeliest_of_each(labelled)
    worth_reading = [each for each in ranked[:most] if each.worth >= WORTH_READING * ranked[0].worth]
    if not worth_reading[1:]:
        return [each.passage for each in ranked]
    shown = [each.shown(useful_at) for each in worth_reading]
    said = await _said(encoder, question, shown)
    unsure = 1 - max(each.helps for each in said.values())
    places = _places(labelled)
    likely = [
        chunk.worth * said[text].odds / places.get(chunk.passage, len(places) + 1) ** unsure
        for chunk, text in zip(worth_reading, shown, strict=True)
    ]
    order = sorted(range(len(likely)), key=lambda place: -likely[place])
    read_again = [worth_reading[place].passage for place in order]
    return [*read_again, *(each.passage for each in ranked[len(read_again) :])]


def _places(labelled: Sequence[JudgedChunk]) -> dict[Passage, int]:
    """The place, from 1, of each passage that the question itself found."""
    found = dict.fromkeys(each.passage for each in labelled if not each.origin.path)
    return {passage: place for place, passage in enumerate(found, 1)}


async def _said(encoder: Encoder, question: str, texts: Sequence[str]) -> dict[str, SaidBesideOthers]:
    """What the reader says of each text beside others; of one that it saw several times, the most of each."""
    groups = read_together(texts)
    readings = await together(*(worked(read(encoder, Pages(question, group))) for group in groups))
    said = dict.fromkeys(texts, SaidBesideOthers())
    for group, reading in zip(groups, readings, strict=True):
        for page, (text, helps) in enumerate(zip(group, reading.helpful, strict=True)):
            said[text] = SaidBesideOthers(*map(max, said[text], (helps, _answers(reading, page))))
    return said


def _answers(reading: PagesReading, page: int) -> float:
    """How likely the answer stands in one of the pages."""
    return reading.holds * sum(exp(answer.score) for answer in reading.answers if answer.page == page)
