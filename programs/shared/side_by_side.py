"""Passages ranked once more: by what the reader says of each when it sees several of them side by side."""

from collections.abc import Mapping

from ...encoder import Encoder, Pages, read, read_together
from ...retrieval import Passage
from ...runtime import together

SURE = 0.999
"""How sure of a passage the reader is at most, and of the contrary."""
WORTH_READING = 0.05
"""What a passage must promise, as a share of what the best one does, to be read at all."""


async def side_by_side(encoder: Encoder, question: str, promises: Mapping[Passage, float], most: int) -> list[Passage]:
    """The passages, best first: the most promising by promise times the reader's odds, then the others.

    Args:
        encoder: Whose reader is asked.
        question: What the passages are to answer.
        promises: How much each passage promises before, from 0 to 1.
        most: How many are read at most; those that promise too little beside the best one are not.
    """
    ranked = sorted(promises, key=lambda passage: -promises[passage])
    worth_reading = [each for each in ranked[:most] if promises[each] >= WORTH_READING * promises[ranked[0]]]
    if not worth_reading[1:]:
        return ranked
    groups = read_together([str(passage) for passage in worth_reading])
    readings = await together(*(read(encoder, Pages(question, group)) for group in groups))
    helps: dict[str, float] = {}
    for group, reading in zip(groups, readings, strict=True):
        for text, help_ in zip(group, reading.helpful, strict=True):
            helps[text] = max(helps.get(text, 0.0), help_)
    likely = {passage: promises[passage] * _odds(helps[str(passage)]) for passage in worth_reading}
    return [*sorted(likely, key=lambda passage: -likely[passage]), *ranked[len(worth_reading) :]]


def _odds(likely: float) -> float:
    likely = min(max(likely, 1 - SURE), SURE)
    return likely / (1 - likely)
