"""Passages ranked once more: by what the reader says of each when it sees several of them side by side."""

from collections.abc import Sequence

from ...encoder import USEFUL, Encoder, Pages, read, read_together
from ...retrieval import Passage
from ...runtime import together
from .labelled_chunks import JudgedChunk

SURE = 0.999
"""How sure of a passage the reader is at most, and of the contrary."""
WORTH_READING = 0.05
"""What a passage must promise, as a share of what the best one does, to be read at all."""


async def side_by_side(
    encoder: Encoder, question: str, ranked: Sequence[JudgedChunk], most: int, useful_at: float = USEFUL
) -> list[Passage]:
    """The passages, best first: the most promising by promise times the reader's odds, then the others.

    Args:
        encoder: Whose reader is asked.
        question: What the passages are to answer.
        ranked: The passages with what was said of each alone, each once, the most promising first.
        most: How many are read at most; those that promise too little beside the best one are not.
        useful_at: From this probability on a word is marked useful: of a long passage what is marked is read.
    """
    worth_reading = [each for each in ranked[:most] if each.worth >= WORTH_READING * ranked[0].worth]
    if worth_reading[1:]:
        shown = [each.shown(useful_at) for each in worth_reading]
        groups = read_together(shown)
        readings = await together(*(read(encoder, Pages(question, group)) for group in groups))
        helps: dict[str, float] = {}
        for group, reading in zip(groups, readings, strict=True):
            for text, help_ in zip(group, reading.helpful, strict=True):
                helps[text] = max(helps.get(text, 0.0), help_)
        likely = [each.worth * _odds(helps[text]) for each, text in zip(worth_reading, shown, strict=True)]
        order = sorted(range(len(likely)), key=lambda place: -likely[place])
        worth_reading = [worth_reading[place] for place in order]
    return [each.passage for each in [*worth_reading, *ranked[len(worth_reading) :]]]


def _odds(likely: float) -> float:
    likely = min(max(likely, 1 - SURE), SURE)
    return likely / (1 - likely)
