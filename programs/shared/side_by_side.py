"""Passages ranked once more: by what the reader says of each when it sees several of them side by side."""

from collections.abc import Sequence

from ...encoder import USEFUL, Encoder, Pages, read, read_together
from ...retrieval import Passage
from ...retrieval.fusion import reciprocal_ranks
from ...runtime import together
from .labelled_chunks import JudgedChunk, likeliest_of_each

SURE = 0.999
"""How sure of a passage the reader is at most, and of the contrary."""
WORTH_READING = 0.05
"""What a passage must promise, as a share of what the best one does, to be read at all."""
PROMISE = 0.7
"""The power of its promise that counts once a passage was read: less than all, since the reader has seen more."""
BELIEVED = 0.3
"""How surely the reader must find at least one passage part of the way; else the plain ranking has as much say."""


async def side_by_side(
    encoder: Encoder, question: str, labelled: Sequence[JudgedChunk], most: int, useful_at: float = USEFUL
) -> list[Passage]:
    """The passages, each once and best first: the most promising by promise times the reader's odds, then the others.

    Where the reader believes none of them, that ranking and what the question found, as it found it, have half the say
    each: questions or texts may be of a kind that the encoder does not know.

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
    helps = await _helps(encoder, question, shown)
    likely = [each.worth**PROMISE * _odds(helps[text]) for each, text in zip(worth_reading, shown, strict=True)]
    order = sorted(range(len(likely)), key=lambda place: -likely[place])
    read_again = [worth_reading[place].passage for place in order]
    ranking = [*read_again, *(each.passage for each in ranked[len(read_again) :])]
    if max(helps.values()) >= BELIEVED:
        return ranking
    by_id = {passage.id: passage for passage in ranking}
    plain = [each.passage.id for each in labelled if not each.origin.path]
    return [by_id[name] for name in reciprocal_ranks([list(by_id), plain])]


async def _helps(encoder: Encoder, question: str, texts: Sequence[str]) -> dict[str, float]:
    """How likely each text is part of the way, read beside others."""
    groups = read_together(texts)
    readings = await together(*(read(encoder, Pages(question, group)) for group in groups))
    helps: dict[str, float] = {}
    for group, reading in zip(groups, readings, strict=True):
        for text, help_ in zip(group, reading.helpful, strict=True):
            helps[text] = max(helps.get(text, 0.0), help_)
    return helps


def _odds(likely: float) -> float:
    likely = min(max(likely, 1 - SURE), SURE)
    return likely / (1 - likely)
